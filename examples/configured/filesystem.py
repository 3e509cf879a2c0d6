"""A server that needs to be told which directories it may read: `python filesystem.py DIRECTORY…`."""

from pathlib import Path

from mcp.server.mcpserver import MCPServer

from avow.server import argument, declare, describe_configuration

mcp = MCPServer("filesystem", version="1.0.0")
avowed = declare(
    mcp,
    configuration=argument(
        "allowed-directory",
        "Directory path that the server is allowed to access",
        type="path",
        multiple=True,
        examples=("/home/user/projects", "/tmp"),  # noqa: S108 - as a person would write it
    ),
)


@mcp.tool()
def list_files() -> list[str]:
    """List the files of the allowed directories."""
    directories = avowed.configuration.values("allowed-directory")
    return sorted(str(path) for each in directories for path in Path(str(each)).iterdir() if path.is_file())


if __name__ == "__main__":
    describe_configuration(avowed)
    mcp.run()
