"""What an audit does not read: named, and no reason to call a tree clean."""

import shutil
from pathlib import Path

import pytest

from avow.audit.model import Verdict
from avow.audit.report import Report
from avow.audit.scan import scan
from avow.cli.main import run

CASES = Path(__file__).parents[1] / "audit_cases"
GOOD = CASES / "AVW041" / "good_guarded.py"
BAD = (CASES / "AVW030" / "bad_get.py").read_text()
SCRIPT = (
    'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\n'
    'export const server = new McpServer({ name: "a", version: "1" });\n'
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with a good server in it."""
    root = tmp_path / "tree"
    root.mkdir()
    shutil.copy(GOOD, root / "server.py")
    return root


def noted(report: Report) -> str:
    return "\n".join(report.notes)


def rules(report: Report) -> set[str]:
    return {finding.rule for finding in report.findings}


@pytest.mark.parametrize("directory", ["vendor", "third_party", ".hidden", "src/vendor"])
def test_a_directory_that_is_left_out_is_named(tree: Path, directory: str) -> None:
    (tree / directory).mkdir(parents=True)
    (tree / directory / "server.py").write_text(BAD)

    assert f"not read: {directory}/" in scan(tree).notes


def test_a_directory_without_source_is_not_worth_a_word(tree: Path) -> None:
    (tree / ".github").mkdir()
    (tree / ".github" / "workflow.yml").touch()
    (tree / "node_modules").mkdir()
    (tree / "node_modules" / "index.js").touch()

    assert scan(tree).notes == ()


def test_one_file_does_not_make_a_virtual_environment(tree: Path) -> None:
    (tree / "src").mkdir()
    (tree / "src" / "pyvenv.cfg").touch()
    (tree / "src" / "other.py").write_text(BAD)

    assert "AVW030" in rules(scan(tree))


def test_a_virtual_environment_is_left_out_and_named(tree: Path) -> None:
    packages = tree / "env" / "lib" / "python3.12" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "server.py").write_text(BAD)
    (tree / "env" / "pyvenv.cfg").touch()

    report = scan(tree)

    assert "not read: env/ (virtual environment)" in report.notes
    assert "AVW030" not in rules(report)


def test_a_linked_directory_is_named(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "server.py").write_text(BAD)
    (tree / "linked").symlink_to(tmp_path / "away")

    assert "not read: linked/ (symbolic link)" in scan(tree).notes


def test_tests_are_counted_and_named(tree: Path) -> None:
    (tree / "tests").mkdir()
    (tree / "tests" / "server.py").write_text(BAD)
    for number in range(10):
        (tree / f"test_{number}.py").write_text(BAD)

    [note] = scan(tree).notes

    assert note.startswith("tests were not looked at: tests/, test_0.py, ")
    assert note.endswith(" and 3 more")


@pytest.mark.parametrize("name", ["SERVER.TS", "server.Py", "server.d.ts"])
def test_a_name_does_not_hide_code(tree: Path, name: str) -> None:
    (tree / name).write_text(BAD if name.lower().endswith(".py") else SCRIPT)

    assert rules(scan(tree)) & {"AVW030", "AVW041"}


def test_declarations_of_types_are_not_read(tree: Path) -> None:
    (tree / "server.d.ts").write_text(
        'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\n'
        "/** @example const s = new McpServer({}); return s; */\n"
        "// return new McpServer(1)\n"
        "export declare const server: McpServer;\n"
        "export interface Made { new (name: string): McpServer; return?(value: string): void; }\n"
    )

    assert (scan(tree).findings, scan(tree).notes) == ((), ())


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("large.py", BAD.encode() + b"#" * (4 * 1024 * 1024)),
        ("minified.js", SCRIPT.replace("\n", "").encode() + b"var a=1;" * 150_000),
        ("wide.py", BAD.encode("utf-16")),
        ("binary.py", BAD.encode() + b"\0"),
        ("broken.py", BAD.encode() + b"\ndef (:\n"),
        ("latin.py", BAD.encode() + b"# \xe9\n"),
    ],
)
def test_a_file_about_mcp_that_cannot_be_read_leaves_nothing_told(tree: Path, name: str, data: bytes) -> None:
    (tree / name).write_bytes(data)

    report = scan(tree)

    assert f"{name}: " in noted(report)
    assert set(report.scorecard.values()) == {Verdict.UNKNOWN}
    assert run(["audit", str(tree)]) == 2


def test_a_file_about_something_else_that_cannot_be_read_is_noted(tree: Path) -> None:
    (tree / "page.js").write_bytes(b"var a=1;" * (5 * 1024 * 1024 // 8))

    report = scan(tree)

    assert "page.js: larger than 4 MB" in report.notes
    assert Verdict.UNKNOWN not in report.scorecard.values()


def test_what_failed_fails_whatever_was_not_read(tree: Path) -> None:
    (tree / "bad.py").write_text(BAD)
    (tree / "broken.py").write_text("import mcp\ndef (:\n")

    report = scan(tree)

    assert Verdict.FAIL in report.scorecard.values()
    assert Verdict.PASS not in report.scorecard.values()
    assert run(["audit", str(tree)]) == 1
