"""Names for servers that nobody has named."""

import pytest

from avow.core.target import FileTarget, HttpTarget, PythonTarget, StdioTarget, Target
from avow.system.naming import slug, suggest_name


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("npx -y @modelcontextprotocol/server-filesystem@2026.1.14 /tmp", "server-filesystem"),
        ("npx --yes --package=@scope/tools tool-server", "tools"),
        ("uvx mcp-server-fetch==1.2.3", "mcp-server-fetch"),
        ("uvx --from git-tools mcp-git", "git-tools"),
        ("uv run --directory /srv weather.py", "weather"),
        ("python -m mcp_server_time --local-timezone=UTC", "mcp_server_time"),
        ("/usr/bin/python3.11 notes.py", "notes"),
        ("node /srv/my-server/dist/index.js", "my-server"),
        ("docker run -i --rm -e TOKEN ghcr.io/github/github-mcp-server:1.0", "github-mcp-server"),
        ("/opt/tools/Files_Server --root /", "files_server"),
    ],
)
def test_a_command_is_named_after_what_it_runs(command: str, name: str) -> None:
    """Not after the runner, its options, a scope or a version."""
    program, *args = command.split()

    assert suggest_name(StdioTarget(program, tuple(args))) == name


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (HttpTarget("https://mcp.example.com/mcp"), "mcp.example.com"),
        (HttpTarget("http://127.0.0.1:8000/mcp"), "own-name"),
        (HttpTarget("http://localhost:8000/mcp"), "own-name"),
        (PythonTarget("weather.server:app"), "weather"),
        (FileTarget("saved/files.json"), "files"),
        (StdioTarget("npx"), "own-name"),
    ],
)
def test_what_says_nothing_leaves_it_to_the_server(target: Target, name: str) -> None:
    """This machine's address or a bare runner is no name."""
    assert suggest_name(target, "Own Name!") == name


def test_a_server_without_any_name_still_gets_one() -> None:
    """Both sources may be empty."""
    assert suggest_name(StdioTarget("npx"), "…") == "server"


def test_a_slug_is_short_and_safe_to_type() -> None:
    """Whatever a server calls itself."""
    assert slug("\x1b[31m Näive / Server \u202e") == "31m-n-ive-server"
    assert len(slug("x" * 500)) <= 64
