"""A server that needs a token from the environment, declared by a pydantic-settings class."""

from mcp.server.mcpserver import MCPServer
from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from avow.server import declare, describe_configuration


class Settings(BaseSettings):
    """What the server reads from its environment."""

    model_config = SettingsConfigDict(env_prefix="GITHUB_")

    token: SecretStr = Field(
        description="GitHub personal access token with repo permissions",
        json_schema_extra={"pattern": "^ghp_[a-zA-Z0-9]{36}$"},
    )


mcp = MCPServer("github", version="1.0.0")
avowed = declare(mcp, configuration=Settings)


@mcp.tool()
def authorization_header() -> str:
    """Tell which kind of authorization requests will carry."""
    token = avowed.configuration.load(Settings).token.get_secret_value()
    return f"Bearer, {len(token)} characters"


if __name__ == "__main__":
    describe_configuration(Settings)
    mcp.run()
