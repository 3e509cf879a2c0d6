"""Which MCP client keeps its servers where, under which key, and in which words: data, dated per row.

Paths use `~` (home), `{app}` (where desktop programs keep settings on the platform), `{config}`
(`$XDG_CONFIG_HOME` or `~/.config`) and `$NAME` (an environment variable; a path that names an
unset one does not exist). Relative paths lie in the project. `*` stands for any one name.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from avow.system.clients.edits import Location


class Syntax(StrEnum):
    """The ways in which clients write "take this from the environment"."""

    BRACES = "${NAME} and ${NAME:-default}"
    DOLLAR = "$NAME"
    COLON = "${env:NAME}, ${input:ID}, ${userHome}, ${workspaceFolder}"
    CURLY = "{env:NAME}"
    SECRETS = "${{ secrets.NAME }}"


@dataclass(frozen=True, slots=True)
class Words:
    """What a client calls the parts of an entry; where it knows several, the first present counts."""

    command: tuple[str, ...] = ("command",)
    args: str = "args"
    env: str = "env"
    env_names: tuple[str, ...] = ()
    url: tuple[str, ...] = ("url", "serverUrl", "httpUrl")
    headers: Location = ("headers",)
    env_headers: str = ""
    bearer: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A file: the scope it holds servers for, and where to look, the first that exists winning."""

    scope: str
    candidates: tuple[str, ...]
    keys: tuple[tuple[str, Location], ...] = ()
    """Scopes and keys of this file, where they are not the client's own."""


@dataclass(frozen=True, slots=True)
class Client:
    """One client: its files, the key its servers are under, its words and its placeholders."""

    name: str
    title: str
    key: Location
    places: tuple[Place, ...]
    words: Words = Words()
    syntax: frozenset[Syntax] = frozenset()
    as_of: str = "2026-11"


CURRENT_PROJECT: Final = "<current project>"
"""A step of a key that stands for the path of the project at hand."""

_CODE: Final = ("Code", "Code - Insiders", "VSCodium")
_STANDARD: Final = Words()
_CODEX: Final = Words(
    env_names=("env_vars",),
    url=("url",),
    headers=("http_headers",),
    env_headers="env_http_headers",
    bearer="bearer_token_env_var",
)
_GOOSE: Final = Words(command=("cmd",), env="envs", env_names=("env_keys",), url=("uri", "url"))
_OPENCODE: Final = Words(env="environment", url=("url",))
_CONTINUE: Final = Words(url=("url",), headers=("requestOptions", "headers"))

_BRACES: Final = frozenset({Syntax.BRACES})
_COLON: Final = frozenset({Syntax.COLON})
_EDITOR_AND_SHELL: Final = _BRACES | _COLON


def _user(*candidates: str) -> Place:
    return Place("user", candidates)


def _project(*candidates: str) -> Place:
    return Place("project", candidates)


CLIENTS: Final[tuple[Client, ...]] = (
    Client(
        name="claude-desktop",
        title="Claude Desktop",
        key=("mcpServers",),
        places=(_user("{app}/Claude/claude_desktop_config.json", "{app}/claude/claude_desktop_config.json"),),
    ),
    Client(
        name="claude-code",
        title="Claude Code",
        key=("mcpServers",),
        places=(
            Place(
                "user",
                ("$CLAUDE_CONFIG_DIR/.claude.json", "~/.claude.json"),
                keys=(
                    ("local", ("projects", CURRENT_PROJECT, "mcpServers")),
                    ("user", ("mcpServers",)),
                ),
            ),
            _project(".mcp.json"),
            Place(
                "managed",
                (
                    "/Library/Application Support/ClaudeCode/managed-mcp.json",
                    "/etc/claude-code/managed-mcp.json",
                    "C:/Program Files/ClaudeCode/managed-mcp.json",
                ),
            ),
        ),
        syntax=_BRACES,
    ),
    Client(
        name="cursor",
        title="Cursor",
        key=("mcpServers",),
        places=(_user("~/.cursor/mcp.json"), _project(".cursor/mcp.json")),
        syntax=_COLON,
    ),
    Client(
        name="vscode",
        title="VS Code",
        key=("servers",),
        places=(
            *(_user(f"{{app}}/{code}/User/mcp.json") for code in _CODE),
            *(_user(f"{{app}}/{code}/User/profiles/*/mcp.json") for code in _CODE),
            *(
                Place("user", (f"{{app}}/{code}/User/settings.json",), keys=(("user", ("mcp", "servers")),))
                for code in _CODE
            ),
            _project(".vscode/mcp.json"),
        ),
        syntax=_COLON,
    ),
    Client(
        name="copilot",
        title="GitHub Copilot CLI",
        key=("mcpServers",),
        places=(
            _user("$COPILOT_HOME/mcp-config.json", "~/.copilot/mcp-config.json"),
            _project(".github/mcp.json"),
        ),
    ),
    Client(
        name="windsurf",
        title="Windsurf",
        key=("mcpServers",),
        places=(_user("~/.codeium/windsurf/mcp_config.json"),),
        words=Words(url=("serverUrl", "url")),
        syntax=_COLON,
    ),
    Client(
        name="cline",
        title="Cline",
        key=("mcpServers",),
        places=(
            _user(
                "$CLINE_MCP_SETTINGS_PATH",
                "$CLINE_DATA_DIR/settings/cline_mcp_settings.json",
                "$CLINE_DIR/data/settings/cline_mcp_settings.json",
                "~/.cline/data/settings/cline_mcp_settings.json",
                "{app}/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            ),
        ),
        syntax=_COLON,
    ),
    Client(
        name="roo",
        title="Roo Code",
        key=("mcpServers",),
        places=(
            _user("{app}/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
            _project(".roo/mcp.json"),
        ),
        syntax=_COLON,
    ),
    Client(
        name="zed",
        title="Zed",
        key=("context_servers",),
        places=(
            # The XDG directory on macOS as well; only Windows differs.
            _user(
                "$FLATPAK_XDG_CONFIG_HOME/zed/settings.json",
                "{config}/zed/settings.json",
                "$APPDATA/Zed/settings.json",
            ),
            _project(".zed/settings.json"),
        ),
    ),
    Client(
        name="codex",
        title="Codex CLI",
        key=("mcp_servers",),
        places=(_user("$CODEX_HOME/config.toml", "~/.codex/config.toml"), _project(".codex/config.toml")),
        words=_CODEX,
    ),
    Client(
        name="gemini",
        title="Gemini CLI",
        key=("mcpServers",),
        places=(_user("~/.gemini/settings.json"), _project(".gemini/settings.json")),
        words=Words(url=("httpUrl", "url")),
        syntax=frozenset({Syntax.BRACES, Syntax.DOLLAR}),
    ),
    Client(
        name="antigravity",
        title="Antigravity",
        key=("mcpServers",),
        places=(_user("~/.gemini/config/mcp_config.json", "~/.gemini/antigravity/mcp_config.json"),),
        words=Words(url=("serverUrl", "url")),
    ),
    Client(
        name="continue",
        title="Continue",
        key=("mcpServers",),
        places=(
            _user("~/.continue/config.yaml"),
            _project(".continue/mcpServers/*.yaml"),
            _project(".continue/mcpServers/*.json"),
        ),
        words=_CONTINUE,
        syntax=frozenset({Syntax.SECRETS}),
    ),
    Client(
        name="goose",
        title="Goose",
        key=("extensions",),
        places=(_user("{config}/goose/config.yaml", "$APPDATA/Block/goose/config/config.yaml"),),
        words=_GOOSE,
    ),
    Client(
        name="kiro",
        title="Kiro",
        key=("mcpServers",),
        places=(_user("~/.kiro/settings/mcp.json"), _project(".kiro/settings/mcp.json")),
        syntax=_BRACES,
    ),
    Client(
        name="amazon-q",
        title="Amazon Q",
        key=("mcpServers",),
        places=(
            _user("~/.aws/amazonq/cli-agents/*.json"),
            _user("~/.aws/amazonq/agents/default.json"),
            _user("~/.aws/amazonq/mcp.json"),
            _project(".amazonq/mcp.json"),
        ),
        syntax=_BRACES,
    ),
    Client(
        name="lm-studio",
        title="LM Studio",
        key=("mcpServers",),
        places=(_user("~/.lmstudio/mcp.json", "~/.cache/lm-studio/mcp.json"),),
    ),
    Client(
        name="opencode",
        title="OpenCode",
        key=("mcp",),
        places=(
            _user("{config}/opencode/opencode.json", "{config}/opencode/opencode.jsonc"),
            _project("opencode.json", "opencode.jsonc"),
        ),
        words=_OPENCODE,
        syntax=frozenset({Syntax.CURLY}),
    ),
)

UNKNOWN: Final = "file"
"""The client of a file that nobody's table knows."""

SHAPES: Final[tuple[Client, ...]] = (
    Client(UNKNOWN, "this file", ("mcpServers",), (), _STANDARD, _EDITOR_AND_SHELL),
    Client(UNKNOWN, "this file", ("servers",), (), _STANDARD, _COLON),
    Client(UNKNOWN, "this file", ("context_servers",), ()),
    Client(UNKNOWN, "this file", ("mcp_servers",), (), _CODEX),
    Client(UNKNOWN, "this file", ("mcp", "servers"), (), _STANDARD, _COLON),
    Client(UNKNOWN, "this file", ("mcp",), (), _OPENCODE, frozenset({Syntax.CURLY})),
    Client(UNKNOWN, "this file", ("extensions",), (), _GOOSE),
)
"""How to read a file by its shape alone, in the order in which the keys are looked for."""
