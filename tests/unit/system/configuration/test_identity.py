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


def test_what_does_not_lie_in_the_directory_is_the_same_everywhere(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()

    assert identify("github", GITHUB, tmp_path / "one") == identify("github", GITHUB, tmp_path / "two")


@pytest.mark.parametrize(
    ("target", "planted"),
    [
        (StdioTarget("python", ("server.py",)), "server.py"),
        (StdioTarget("./server"), "server"),
        (StdioTarget("python", ("-m", "weather.server")), "weather/server.py"),
        (StdioTarget("python", ("-m", "weather")), "weather/__main__.py"),
        (StdioTarget("node", ("--import=hook.mjs", "/opt/server.js")), "hook.mjs"),
        (GITHUB, "node_modules/server-github/package.json"),
        (StdioTarget("npx", ("-y", "@scope/server@1.2")), "node_modules/@scope/server/package.json"),
        (GITHUB, "node_modules/.bin/server-github"),
    ],
)
def test_what_lies_in_a_directory_is_another_program_in_another_one(
    tmp_path: Path, target: StdioTarget, planted: str
) -> None:
    """A repository that plants its own program under a known name must not get what is stored for that."""
    own, foreign = tmp_path / "own", tmp_path / "foreign"
    own.mkdir()
    (foreign / planted).parent.mkdir(parents=True)
    (foreign / planted).write_text("")

    assert identify("github", target, own) != identify("github", target, foreign)


def test_words_that_are_no_names_of_files_do_no_harm(tmp_path: Path) -> None:
    target = StdioTarget("server", ("x" * 5000, "a\0b", "", "--flag", "/absolute"))

    assert identify("odd", target, tmp_path) == identify("odd", target, tmp_path / "elsewhere")
