"""A server with two arguments and a variable: `python file_clone.py SOURCE DESTINATION`."""

import shutil
from pathlib import Path

from mcp.server.mcpserver import MCPServer

from avow.server import argument, declare, describe_configuration, variable

mcp = MCPServer("file-clone", version="1.0.0")
avowed = declare(
    mcp,
    configuration=[
        argument("source-directory", "Source directory to clone from", type="path"),
        argument("destination-directory", "Destination directory to clone to", type="path"),
        variable(
            "CLONE_PRESERVE_PERMISSIONS",
            "Whether to preserve file permissions during cloning",
            type="boolean",
            default=True,
        ),
    ],
)


@mcp.tool()
def clone(name: str) -> str:
    """Clone one file from the source directory to the destination directory."""
    source, destination = (
        Path(str(avowed.configuration[place])) for place in ("source-directory", "destination-directory")
    )
    copy = shutil.copy if avowed.configuration["CLONE_PRESERVE_PERMISSIONS"] else shutil.copyfile
    copy(source / Path(name).name, destination / Path(name).name)
    return f"{name} is cloned"


if __name__ == "__main__":
    describe_configuration(avowed)
    mcp.run()
