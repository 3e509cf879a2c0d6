"""Whom stored values belong to: the same server everywhere, and nobody else."""

from pathlib import Path

import pytest

from avow.core.target import FileTarget, HttpTarget, StdioTarget
from avow.system.configuration.identity import identify

GITHUB = StdioTarget("npx", ("-y", "server-github"))


@pytest.mark.parametrize(
    "other",
    [
        StdioTarget("npx", ("-y", "server-github-evil")),
        StdioTarget("/tmp/npx", ("-y", "server-github")),
        StdioTarget("npx", ("-y server-github",)),
        StdioTarget("npx", ("-y", "server-github"), cwd="/srv"),
        HttpTarget("https://example.com/mcp"),
        FileTarget("npx"),
    ],
)
def test_a_namesake_that_starts_something_else_is_somebody_else(other: StdioTarget, tmp_path: Path) -> None:
    assert identify("github", GITHUB, tmp_path) != identify("github", other, tmp_path)


def test_names_of_variables_and_headers_do_not_matter(tmp_path: Path) -> None:
    more = StdioTarget("npx", ("-y", "server-github"), env=("TOKEN",))
    plain, with_header = HttpTarget("https://x/mcp"), HttpTarget("https://x/mcp", ("Authorization",))

    assert identify("github", GITHUB, tmp_path) == identify("github", more, tmp_path)
    assert identify("x", plain, tmp_path) == identify("x", with_header, tmp_path)
    assert identify("work", GITHUB, tmp_path) != identify("home", GITHUB, tmp_path)


SAME_EVERYWHERE = [
    GITHUB,
    StdioTarget(
        "npx", ("-y", "@scope/server@latest", "--toolset", "all", "--header", "Authorization: Bearer ${T}")
    ),
    StdioTarget("npx", ("--yes", "--package=@scope/pkg@1.2.3", "server-bin")),
    StdioTarget("/usr/bin/npx", ("-y", "mcp-remote", "https://example.com/mcp")),
    StdioTarget("bunx", ("server-github",)),
    StdioTarget("pnpm", ("dlx", "server-github")),
    StdioTarget("uvx", ("mcp-server-git",)),
    StdioTarget("uvx", ("--python", "3.12", "--from", "git+https://github.com/a/b", "serena", "start")),
    StdioTarget("uvx", ("--with=extra[all]>=1.2,<2", "mcp-server-git@1.0")),
    StdioTarget("uv", ("tool", "run", "mcp-server-git")),
    StdioTarget("uv", ("--directory", "/srv/weather", "run", "server.py")),
    StdioTarget("uv", ("run", "--directory=/srv/weather", "--with", "mcp", "server.py")),
    StdioTarget(
        "docker", ("run", "-i", "--rm", "-e", "TOKEN", "-v", "/srv:/data", "ghcr.io/x/y:1", "npm", ".")
    ),
    StdioTarget("/opt/acme/server", ("stdio", "--level=info", "/etc/acme.json")),
    StdioTarget("python3.12", ("-u", "/srv/weather/server.py", "--port", "3")),
    StdioTarget("python", ("-I", "-m", "mcp_server_git", "--verbose")),
    StdioTarget("node", ("--no-warnings", "/srv/weather/build/index.js")),
    StdioTarget("make", ("serve",), cwd="/srv/weather"),
]

ANOTHER_IN_EACH = [
    StdioTarget("python", ("server.py",)),
    StdioTarget("python", ("-mserver",)),
    StdioTarget("python", ("-m", "server")),
    StdioTarget("/usr/bin/python3", ("-u", "-m", "server")),
    StdioTarget("python", ("-I", "-m", "uv", "run", "x")),
    StdioTarget("python", ("-c", "import server")),
    StdioTarget("python", ()),
    StdioTarget("sh", ("-c", "python server.py")),
    StdioTarget("/bin/sh", ("-c", "python /srv/server.py")),
    StdioTarget("/usr/bin/env", ("github-server",)),
    StdioTarget("/usr/bin/acme-wrap", ("npm", "start")),
    StdioTarget("/usr/bin/acme-wrap", ("--run=npm start",)),
    StdioTarget("make", ("-s", "serve")),
    StdioTarget("/usr/bin/make", ("-s", "serve")),
    StdioTarget("npm", ("start", "--silent")),
    StdioTarget("pnpm", ("start",)),
    StdioTarget("uv", ("run", "server")),
    StdioTarget("uv", ("run", "--directory", "weather", "server")),
    StdioTarget("uv", ("--directory", "/srv/weather", "sync")),
    StdioTarget("uv", ("--project", "/srv/weather", "run", "server.py")),
    StdioTarget("cargo", ("run",)),
    StdioTarget("docker", ("compose", "run", "server")),
    StdioTarget("docker", ("run", "--env-file", "settings", "image")),
    StdioTarget("docker", ("run", "-v", "./data:/data", "image")),
    StdioTarget("docker", ("run", "-i")),
    StdioTarget("npx", ("-y", "./server")),
    StdioTarget("npx", ("-y", "server.tgz")),
    StdioTarget("npx", ("-y", "tsx", "src/index")),
    StdioTarget("npx", ("-c", "server")),
    StdioTarget("npx", ("--prefix=x", "server")),
    StdioTarget("npx", ("-p",)),
    StdioTarget("npx", ("-y", "server", "./settings.json")),
    StdioTarget("uvx", ("--from", "./server", "server")),
    StdioTarget("uvx", ("--python", "env", "server")),
    StdioTarget("uvx", ("fastmcp", "run")),
    StdioTarget("uvx", ("mcp-server-proxied", "--stdio", "make serve")),
    StdioTarget("node", ("--import=hook.mjs", "/opt/server.js")),
    StdioTarget("node", ("server.js",)),
    StdioTarget("node", ("--env-file", "/srv/x", "/opt/server.js")),
    StdioTarget("./server"),
    StdioTarget("bin/server"),
    # Nobody knows what it does with the directory.
    StdioTarget("github-server", ("stdio",)),
]


def words(target: StdioTarget) -> str:
    return " ".join((target.command, *target.args))


@pytest.fixture
def one(tmp_path: Path) -> Path:
    directory = tmp_path / "one"
    directory.mkdir()
    return directory


@pytest.fixture
def two(tmp_path: Path) -> Path:
    directory = tmp_path / "two"
    directory.mkdir()
    return directory


@pytest.mark.parametrize("target", SAME_EVERYWHERE, ids=words)
def test_what_starts_the_same_program_everywhere_is_configured_once(
    target: StdioTarget, one: Path, two: Path
) -> None:
    assert identify("github", target, one) == identify("github", target, two)


@pytest.mark.parametrize("target", ANOTHER_IN_EACH, ids=words)
def test_what_a_directory_decides_is_another_program_in_another_one(
    target: StdioTarget, one: Path, two: Path
) -> None:
    """Whether or not anything lies there that looks like it."""
    assert identify("github", target, one) == identify("github", target, one)
    assert identify("github", target, one) != identify("github", target, two)


@pytest.mark.parametrize(
    ("target", "planted"),
    [
        (GITHUB, "package.json"),
        (GITHUB, ".npmrc"),
        (GITHUB, "../.npmrc"),
        (GITHUB, "node_modules/server-github/package.json"),
        (GITHUB, ".env"),
        (GITHUB, ".tool-versions"),
        (StdioTarget("bunx", ("server-github",)), "bunfig.toml"),
        (StdioTarget("uvx", ("mcp-server-git",)), ".env"),
        (StdioTarget("uvx", ("mcp-server-git", "--config", "settings")), "settings.toml"),
        (StdioTarget("python", ("/srv/server.py",)), ".python-version"),
        (StdioTarget("/home/me/.pyenv/shims/python", ("/srv/server.py",)), ".python-version"),
        (StdioTarget("/opt/acme/server", ("settings.json",)), "settings.json"),
        (StdioTarget("/opt/acme/server", ("-csettings.json",)), "settings.json"),
        (StdioTarget("/opt/acme/server", ("--plugin", "weather.server")), "weather/server.py"),
    ],
)
def test_files_that_give_a_command_another_meaning_make_it_another_program(
    tmp_path: Path, target: StdioTarget, planted: str
) -> None:
    """A repository that redirects a known command must not get what is stored for that."""
    own, foreign = tmp_path / "own", tmp_path / "there" / "foreign"
    own.mkdir()
    foreign.mkdir(parents=True)
    (foreign / planted).parent.mkdir(parents=True, exist_ok=True)
    (foreign / planted).write_text("")

    assert identify("github", target, own) != identify("github", target, foreign)


def test_files_of_the_home_directory_count_for_all_alike(home: Path, one: Path) -> None:
    (home / ".npmrc").write_text("")
    (home / "package.json").write_text("{}")
    (home / "work").mkdir()

    assert identify("github", GITHUB, home / "work") == identify("github", GITHUB, one)


def test_words_that_are_no_names_of_files_do_no_harm(one: Path, two: Path) -> None:
    target = StdioTarget("/opt/server", ("x" * 5000, "a\0b", "", "--flag", "/absolute"))

    assert identify("odd", target, one) == identify("odd", target, two)
