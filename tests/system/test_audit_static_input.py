"""Source trees that are broken, huge or hostile: told, never a crash, never silently clean."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from avow.audit.model import Verdict
from avow.audit.report import Report
from avow.audit.scan import scan
from avow.cli.main import run
from avow.errors import StorageError, UnavailableError, UsageError

SERVER = 'from mcp.server.fastmcp import FastMCP\nmcp = FastMCP("a")\n'
SCRIPT = (
    'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\nnew McpServer({ name: "a" });\n'
)


def noted(report: Report) -> str:
    return "\n".join(report.notes)


def test_a_syntax_error_costs_one_file(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "broken.py").write_text("import mcp\ndef (:\n")

    report = scan(tmp_path)

    assert "broken.py: not read: not valid Python" in noted(report)
    assert "line 2" in noted(report)
    assert [finding.rule for finding in report.findings] == ["AVW041"]


def test_a_syntax_error_in_typescript_costs_a_part_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "server.ts"
    path.write_text(SCRIPT + "const x = {{{;\n" + "const y = 1;\n" * 20)

    report = scan(path)

    assert "server.ts: read in part" in noted(report)
    assert [finding.rule for finding in report.findings] == ["AVW041"]


def test_nothing_but_syntax_errors_is_no_clean_tree(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text("from mcp import Server\nprint 'old'\n")

    with pytest.raises(UnavailableError, match="not valid Python"):
        scan(tmp_path)


def test_python_newer_than_ours_is_told(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "newer.py").write_text("import mcp\ntype X[T = int] = future T\n")

    major, minor = sys.version_info[:2]
    assert f"as Python {major}.{minor} reads it" in noted(scan(tmp_path))


def test_a_bundle_of_50_megabytes_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "server.ts").write_text(SCRIPT)
    (tmp_path / "bundle.js").write_bytes(b"var a=1;" * (50 * 1024 * 1024 // 8))

    assert "bundle.js: larger than 4 MB" in noted(scan(tmp_path))
    with pytest.raises(UnavailableError, match="larger than 4 MB"):
        scan(tmp_path / "bundle.js")


def test_minified_code_is_read_up_to_a_megabyte(tmp_path: Path) -> None:
    small = tmp_path / "small.js"
    small.write_text(SCRIPT.replace("\n", "") + "var é=1;" * 50_000)
    (tmp_path / "large.js").write_text("var b=2;" * 150_000)

    report = scan(tmp_path)

    assert [(finding.rule, finding.place and finding.place.line) for finding in report.findings] == [
        ("AVW041", 1)
    ]
    assert "large.js: minified, and too large to be read" in noted(report)


def test_links_are_not_followed(tmp_path: Path) -> None:
    """Neither in circles nor out of the tree."""
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "again").symlink_to(tmp_path)
    (tmp_path / "away.py").symlink_to("/etc/passwd")
    (tmp_path / "itself.py").symlink_to(tmp_path / "itself.py")

    report = scan(tmp_path)

    assert report.files == 1
    assert "away.py: not a regular file" in noted(report)


def test_what_is_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "binary.py").write_bytes(b"mcp\0\1\2")
    (tmp_path / "latin.py").write_bytes("# mcp é\n".encode("latin-1"))
    os.mkfifo(tmp_path / "pipe.py")

    report = scan(tmp_path)

    assert "binary.py: binary" in noted(report)
    assert "latin.py: not UTF-8" in noted(report)
    assert "pipe.py: not a regular file" in noted(report)


def test_names_that_are_no_text_can_be_printed(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    (tmp_path / name).write_text(SERVER)

    [finding] = scan(tmp_path).findings

    assert finding.place is not None
    assert finding.place.path == "caf\N{REPLACEMENT CHARACTER}.py"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("deep.py", f"import mcp\nx = {'[' * 150}{']' * 150}\n{SERVER}"),
        ("calls.py", f"import mcp\nx = a{'.b()' * 3_000}\n{SERVER}"),
        ("sum.py", f"import mcp\nx = {' + '.join(['a'] * 20_000)}\n{SERVER}"),
        ("deep.ts", f"const x = {'[' * 50_000}{']' * 50_000};\n{SCRIPT}"),
        ("calls.ts", f"const x = a{'.b()' * 20_000};\n{SCRIPT}"),
        ("sum.ts", f"const x = {' + '.join(['a'] * 50_000)};\n{SCRIPT}"),
        ("blocks.ts", f"{'{' * 20_000}{'}' * 20_000}\n{SCRIPT}"),
        ("assigned.ts", f"const x = {'a.b = ' * 10_000} 1;\n{SCRIPT}"),
    ],
)
def test_deep_nesting_is_read_or_told(tmp_path: Path, name: str, code: str) -> None:
    (tmp_path / name).write_text(code)
    (tmp_path / "beside.py").write_text(SERVER)

    report = scan(tmp_path)
    found = {finding.place.path for finding in report.findings if finding.place}

    assert "beside.py" in found
    assert name in found or f"{name}: " in noted(report)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (
            "spreads.ts",
            "".join(f"const a{k} = {{ {f'...a{k + 1}, ' * 100} }};\n" for k in range(8))
            + 'const a8 = {};\nnew McpServer({ name: "a" }, { capabilities: a0 });\n',
        ),
        (
            "helpers.py",
            "".join(f"def h{k}(p):\n" + f"    h{k + 1}(p['capabilities'])\n" * 200 for k in range(6))
            + 'def h6(p): ...\nMCP = {"initialize": h0, "tools/list": h1}\n',
        ),
        (
            "handlers.py",
            "import mcp\ndef f(m):\n"
            + '    if m == "initialize": return h(m)\n' * 200
            + "def h(m):\n"
            + "    x(m)\n" * 200
            + '    return {"serverInfo": 1}\n',
        ),
        (
            "uses.ts",
            "async function f(server) {\n" + "if (x) { y() }\nserver.createMessage({});\n" * 2_000 + "}\n",
        ),
    ],
)
def test_code_that_multiplies_itself_costs_no_more_time(tmp_path: Path, name: str, code: str) -> None:
    """Each would take hours if every path through it were followed."""
    (tmp_path / name).write_text(code)
    began = time.process_time()

    scan(tmp_path)

    assert time.process_time() - began < 20


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable to root")
def test_an_unreadable_directory_is_told(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    locked = tmp_path / "locked"
    locked.mkdir(mode=0)

    assert "locked: the directory cannot be read" in noted(scan(tmp_path))


def test_an_empty_tree_is_no_clean_tree(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="nothing to audit"):
        scan(tmp_path)


def test_a_tree_without_a_server_passes_nothing(tmp_path: Path) -> None:
    (tmp_path / "sums.py").write_text("print(1 + 1)\n")

    report = scan(tmp_path)

    assert set(report.scorecard.values()) == {Verdict.UNKNOWN}
    assert "no MCP server was found in the files that were read" in report.notes
    assert report.is_blind
    assert run(["audit", str(tmp_path)]) == 2


def test_a_server_that_is_made_elsewhere_is_named(tmp_path: Path) -> None:
    (tmp_path / "index.ts").write_text(
        'import { createMcpServer } from "@example/mcp-utils";\ncreateMcpServer({ name: "a" });\n'
    )

    assert "the server is made by @example/mcp-utils, which is not in this tree" in scan(tmp_path).notes


def test_what_is_no_source_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mcp")

    with pytest.raises(UsageError, match="no language"):
        scan(tmp_path / "notes.txt")
    with pytest.raises(StorageError, match="cannot read"):
        scan(tmp_path / "missing")


def test_the_command_tells_and_does_not_crash(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import mcp\ndef (:\n")
    avow = Path(sys.executable).parent / "avow"

    done = subprocess.run([avow, "audit", tmp_path], capture_output=True, text=True, timeout=60)

    assert done.returncode == 2
    assert "broken.py: not read" in done.stderr
    assert "Traceback" not in done.stderr
