"""Finding servers: every client's file, in its own words, becomes the same kind of value."""

import json
from pathlib import Path

import pytest

from avow.core.target import HttpTarget, StdioTarget
from avow.errors import MalformedInputError, StorageError, UsageError
from avow.system.clients import ConfiguredServer, FoundServers, find_servers, read_clients

TOKEN = "s3cret-value"
NPX = {"command": "npx", "args": ["-y", "server"], "env": {"TOKEN": TOKEN}}
STDIO = StdioTarget("npx", ("-y", "server"), ("TOKEN",))


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def look(home: Path, platform: str = "linux", **environ: str) -> FoundServers:
    project = home / "project"
    project.mkdir(exist_ok=True)
    return read_clients(home=home, cwd=project, platform=platform, environ=environ)


def only(found: FoundServers) -> ConfiguredServer:
    assert found.skipped == ()
    (server,) = found.servers
    return server


@pytest.mark.parametrize(
    ("client", "platform", "file", "key"),
    [
        ("claude-desktop", "linux", ".config/Claude/claude_desktop_config.json", "mcpServers"),
        (
            "claude-desktop",
            "darwin",
            "Library/Application Support/Claude/claude_desktop_config.json",
            "mcpServers",
        ),
        ("claude-desktop", "win32", "AppData/Claude/claude_desktop_config.json", "mcpServers"),
        ("claude-code", "linux", ".claude.json", "mcpServers"),
        ("claude-code", "linux", "project/.mcp.json", "mcpServers"),
        ("cursor", "linux", ".cursor/mcp.json", "mcpServers"),
        ("cursor", "linux", "project/.cursor/mcp.json", "mcpServers"),
        ("vscode", "linux", ".config/Code/User/mcp.json", "servers"),
        ("vscode", "linux", ".config/Code/User/profiles/a1b2/mcp.json", "servers"),
        ("vscode", "darwin", "Library/Application Support/Code/User/mcp.json", "servers"),
        ("vscode", "linux", "project/.vscode/mcp.json", "servers"),
        ("copilot", "linux", ".copilot/mcp-config.json", "mcpServers"),
        ("windsurf", "linux", ".codeium/windsurf/mcp_config.json", "mcpServers"),
        ("cline", "linux", ".cline/data/settings/cline_mcp_settings.json", "mcpServers"),
        (
            "roo",
            "linux",
            ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
            "mcpServers",
        ),
        ("zed", "linux", ".config/zed/settings.json", "context_servers"),
        ("zed", "darwin", ".config/zed/settings.json", "context_servers"),
        ("zed", "win32", "AppData/Zed/settings.json", "context_servers"),
        ("gemini", "linux", ".gemini/settings.json", "mcpServers"),
        ("antigravity", "linux", ".gemini/antigravity/mcp_config.json", "mcpServers"),
        ("kiro", "linux", ".kiro/settings/mcp.json", "mcpServers"),
        ("amazon-q", "linux", ".aws/amazonq/mcp.json", "mcpServers"),
        ("amazon-q", "linux", ".aws/amazonq/cli-agents/mine.json", "mcpServers"),
        ("lm-studio", "linux", ".lmstudio/mcp.json", "mcpServers"),
    ],
)
def test_a_server_is_found_where_its_client_keeps_it(
    tmp_path: Path, client: str, platform: str, file: str, key: str
) -> None:
    path = write(tmp_path / file, {key: {"files": NPX}})

    server = only(look(tmp_path, platform, APPDATA=str(tmp_path / "AppData")))

    assert (server.name, server.client, server.path) == ("files", client, path)
    assert server.scope == ("project" if file.startswith("project/") else "user")
    assert (server.target, server.env) == (STDIO, {"TOKEN": TOKEN})


def test_codex_names_variables_instead_of_filling_them_in(tmp_path: Path) -> None:
    config = """
    [mcp_servers.files]
    command = "npx"
    args = ["-y", "server"]
    env_vars = ["INHERITED", { name = "TABLED", source = "local" }]
    env = { TOKEN = "s3cret-value" }
    [mcp_servers.remote]
    url = "https://example.com/mcp"
    bearer_token_env_var = "BEARER"
    env_http_headers = { "X-Key" = "KEY", "X-Gone" = "GONE" }
    http_headers = { "X-Plain" = "${NOT_EXPANDED}" }
    """
    write(tmp_path / ".codex/config.toml", config)

    files, remote = look(tmp_path, INHERITED="i", BEARER="b", KEY="k").servers

    assert files.target == StdioTarget("npx", ("-y", "server"), ("TOKEN", "INHERITED", "TABLED"))
    assert files.env == {"TOKEN": TOKEN, "INHERITED": "i"}
    assert files.missing == ("TABLED",)
    assert remote.target == HttpTarget(
        "https://example.com/mcp", ("X-Plain", "X-Key", "X-Gone", "Authorization")
    )
    assert remote.headers == {"X-Plain": "${NOT_EXPANDED}", "X-Key": "k", "Authorization": "Bearer b"}


def test_goose_has_its_own_words_and_built_in_extensions(tmp_path: Path) -> None:
    config = """
    extensions:
      files:
        type: stdio
        enabled: true
        cmd: npx
        args: [-y, server]
        envs: {TOKEN: s3cret-value}
        env_keys: [KEYED]
      remote: {type: streamable_http, uri: "https://example.com/mcp", enabled: true}
      developer: {type: builtin, enabled: true}
      off: {type: stdio, cmd: x, enabled: false}
    """
    write(tmp_path / ".config/goose/config.yaml", config)

    found = look(tmp_path, KEYED="k")

    files, remote = found.servers
    assert files.target == StdioTarget("npx", ("-y", "server"), ("TOKEN", "KEYED"))
    assert files.env == {"TOKEN": TOKEN, "KEYED": "k"}
    assert remote.target == HttpTarget("https://example.com/mcp")
    assert [(skipped.name, skipped.reason, skipped.disabled) for skipped in found.skipped] == [
        ("developer", "it is part of the client (type builtin)", False),
        ("off", "it is disabled in the client", True),
    ]


def test_continue_has_a_list_with_names_inside(tmp_path: Path) -> None:
    config = """
    mcpServers:
      - name: files
        command: npx
        args: ["-y", "server"]
        env: {TOKEN: "${{ secrets.MY_TOKEN }}"}
      - name: remote
        type: streamable-http
        url: https://example.com/mcp
        requestOptions: {headers: {X-Key: k}}
    """
    write(tmp_path / ".continue/config.yaml", config)

    files, remote = look(tmp_path, MY_TOKEN=TOKEN).servers

    assert (files.name, files.target, files.env) == ("files", STDIO, {"TOKEN": TOKEN})
    assert (remote.target, remote.headers) == (
        HttpTarget("https://example.com/mcp", ("X-Key",)),
        {"X-Key": "k"},
    )
    assert files.location == ("mcpServers", 0)


def test_opencode_writes_the_command_as_a_list(tmp_path: Path) -> None:
    entry = {"type": "local", "command": ["npx", "-y", "server"], "environment": {"TOKEN": "{env:T}"}}
    write(tmp_path / ".config/opencode/opencode.jsonc", {"mcp": {"files": entry}})

    server = only(look(tmp_path, T=TOKEN))

    assert (server.target, server.env) == (STDIO, {"TOKEN": TOKEN})


@pytest.mark.parametrize(
    ("file", "entry"),
    [
        (".codeium/windsurf/mcp_config.json", {"serverUrl": "https://example.com/mcp"}),
        (".gemini/settings.json", {"httpUrl": "https://example.com/mcp", "url": "https://example.com/sse"}),
        (".cursor/mcp.json", {"url": "https://example.com/mcp"}),
        (
            ".cline/data/settings/cline_mcp_settings.json",
            {"transport": {"type": "streamableHttp", "url": "https://example.com/mcp"}},
        ),
    ],
)
def test_remotes_are_spelled_differently_by_each_client(tmp_path: Path, file: str, entry: object) -> None:
    write(tmp_path / file, {"mcpServers": {"remote": entry}})

    assert only(look(tmp_path)).target == HttpTarget("https://example.com/mcp")


def test_an_older_zed_nests_the_command(tmp_path: Path) -> None:
    entry = {"command": {"path": "npx", "args": ["-y", "server"], "env": {"TOKEN": TOKEN}}}
    write(tmp_path / ".config/zed/settings.json", {"context_servers": {"files": entry}})

    assert only(look(tmp_path)).target == STDIO


def test_claude_code_has_servers_of_the_project_at_hand_and_of_others(tmp_path: Path) -> None:
    """Started in a project, only its own count; asked for the file itself, all do."""
    project = str(tmp_path / "project")
    projects = {project: {"mcpServers": {"mine": NPX}}, "/elsewhere": {"mcpServers": {"theirs": NPX}}}
    path = write(tmp_path / ".claude.json", {"mcpServers": {"all": NPX}, "projects": projects})

    here = look(tmp_path).servers
    everything = find_servers(path, home=tmp_path, cwd=tmp_path, environ={})

    assert [(server.name, server.scope) for server in here] == [("mine", "local"), ("all", "user")]
    assert [server.name for server in everything] == ["mine", "theirs", "all"]
    assert here[0].location == ("projects", project, "mcpServers", "mine")


def test_a_directory_that_the_user_chose_takes_the_place_of_the_usual_one(tmp_path: Path) -> None:
    write(tmp_path / ".codex/config.toml", '[mcp_servers.old]\ncommand = "old"\n')
    write(tmp_path / "chosen/config.toml", '[mcp_servers.new]\ncommand = "new"\n')

    assert only(look(tmp_path, CODEX_HOME=str(tmp_path / "chosen"))).name == "new"
    assert look(tmp_path, CODEX_HOME=str(tmp_path / "empty")).servers == ()


@pytest.mark.parametrize("key", ["mcpServers", "servers", "context_servers", "mcp_servers"])
def test_a_file_of_unknown_name_is_read_by_its_shape(tmp_path: Path, key: str) -> None:
    path = write(tmp_path / "team.json", {key: {"files": NPX}})

    (server,) = find_servers(path, home=tmp_path, cwd=tmp_path, environ={})

    assert (server.target, server.env) == (STDIO, {"TOKEN": TOKEN})
    assert (server.client, server.scope) == ("file", "file")


@pytest.mark.parametrize(
    "content",
    [
        '[mcp_servers.files]\ncommand = "npx"\nargs = ["-y", "server"]\nenv.TOKEN = "s3cret-value"\n',
        "extensions:\n  files: {cmd: npx, args: [-y, server], envs: {TOKEN: s3cret-value}}\n",
        '// mine\n{"mcpServers": {"files": {"command": "npx", "args": ["-y", "server"],'
        ' "env": {"TOKEN": "s3cret-value"},},},}',
    ],
)
def test_a_file_without_a_telling_suffix_is_read_by_its_content(tmp_path: Path, content: str) -> None:
    path = write(tmp_path / "servers", content)

    (server,) = find_servers(path, home=tmp_path, cwd=tmp_path, environ={})

    assert (server.target, server.env) == (STDIO, {"TOKEN": TOKEN})


def test_a_project_file_given_by_path_is_read_as_its_clients(tmp_path: Path) -> None:
    path = write(tmp_path / "other/.vscode/mcp.json", {"servers": {"a": {"command": "${env:PROGRAM}"}}})

    (server,) = find_servers(path, home=tmp_path, cwd=tmp_path, environ={"PROGRAM": "npx"})

    assert (server.client, server.launch) == ("vscode", StdioTarget("npx"))


def test_a_file_without_servers_says_what_was_looked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "package.json", {"name": "x"})

    with pytest.raises(UsageError, match="has no MCP servers") as caught:
        find_servers(path)

    assert "mcpServers" in caught.value.hint


def test_a_malformed_file_is_named_with_line_and_column(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", '{\n  "mcpServers": {,}\n}')

    with pytest.raises(MalformedInputError, match=r"a\.json, line 2, column 18: "):
        find_servers(path)


def test_a_malformed_file_does_not_hide_the_others(tmp_path: Path) -> None:
    broken = write(tmp_path / ".cursor/mcp.json", "{")
    write(tmp_path / ".kiro/settings/mcp.json", {"mcpServers": {"files": NPX}})

    found = look(tmp_path)

    assert [server.name for server in found.servers] == ["files"]
    (skipped,) = found.skipped
    assert (skipped.name, skipped.path, skipped.client) == ("", broken, "cursor")
    assert "line 1, column 2" in skipped.reason


def test_a_file_that_is_missing_or_not_text_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="there is no file"):
        find_servers(tmp_path / "none.json")
    (tmp_path / "a.json").write_bytes(b'{\n"\xff"}')
    with pytest.raises(MalformedInputError, match=r"line 2, column 2: this is not UTF-8"):
        find_servers(tmp_path / "a.json")


def test_a_huge_file_is_refused_without_being_read(tmp_path: Path) -> None:
    with (path := tmp_path / "a.yaml").open("wb") as file:
        file.truncate(1024 * 1024 + 1)

    with pytest.raises(StorageError, match="larger than 1 MiB"):
        find_servers(path)


def test_an_empty_file_has_no_servers(tmp_path: Path) -> None:
    """Some clients create their file empty and fill it later."""
    write(tmp_path / ".cursor/mcp.json", "\n")

    assert look(tmp_path) == FoundServers((), ())


def test_values_never_show_in_a_repr(tmp_path: Path) -> None:
    remote = {"url": "https://example.com/mcp", "headers": {"Authorization": TOKEN}}
    write(tmp_path / ".cursor/mcp.json", {"mcpServers": {"files": NPX, "remote": remote}})

    found = look(tmp_path)

    assert {server.env.get("TOKEN") for server in found.servers} == {TOKEN, None}
    assert TOKEN not in repr(found)


def test_a_name_leads_to_its_server_or_to_the_reason_why_not(tmp_path: Path) -> None:
    off = {**NPX, "disabled": True}
    write(tmp_path / ".cursor/mcp.json", {"mcpServers": {"files": NPX, "off": off}})

    found = look(tmp_path)

    assert found.named("files").target == STDIO
    with pytest.raises(UsageError, match="disabled in the client"):
        found.named("off")
    with pytest.raises(UsageError, match="no MCP client configuration") as caught:
        found.named("nothing")
    assert caught.value.hint == "these are configured: files"


def test_a_key_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    """Clients disagree on which one counts, so approving either would approve the other."""
    twice = '{"mcpServers": {"a": {"command": "good"}, "a": {"command": "evil"}}}'
    path = write(tmp_path / "a.json", twice)
    with pytest.raises(MalformedInputError, match="there twice"):
        find_servers(path)

    inside = '{"mcpServers": {"a": {"command": "good", "command": "evil"}, "b": {"command": "x"}}}'
    found = read_clients(write(tmp_path / "b.json", inside))
    assert [server.name for server in found.servers] == ["b"]
    assert "twice" in found.skipped[0].reason
