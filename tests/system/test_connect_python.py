"""Server objects in this process: what is read is what would go over a wire."""

import sys
from pathlib import Path

import pytest

from avow.core.snapshot import Era
from avow.core.target import PythonTarget, StdioTarget
from avow.errors import ServerLaunchError
from avow.system.connect import ConnectOptions, ServerExitedError, observe, take_snapshot

HERE = Path(__file__).parent
OPTIONS = ConnectOptions(timeout=20.0)


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE))


@pytest.mark.parametrize("path", ["high", "Holder.inner"])
def test_a_high_level_server_is_seen_whole(path: str) -> None:
    snapshot = take_snapshot(PythonTarget(f"connect_objects:{path}"), OPTIONS)

    assert snapshot.era is Era.MODERN
    assert snapshot.name == "high"
    assert snapshot.instructions == "Add things."
    assert [capability.name for capability in snapshot.signature] == ["add", "greet", "note://{number}"]


def test_the_object_and_the_program_show_the_same() -> None:
    """A client that starts the server gets, to the byte, what the object shows here."""
    program = (
        f"import sys; sys.path.insert(0, {str(HERE)!r}); import connect_objects; connect_objects.high.run()"
    )
    started = take_snapshot(StdioTarget(sys.executable, ("-c", program)), OPTIONS)

    seen = take_snapshot(PythonTarget("connect_objects:high"), OPTIONS)

    assert seen.signature == started.signature
    assert seen.signature.digest == started.signature.digest
    assert seen.capabilities == started.capabilities


def test_a_low_level_server_is_looked_at_under_every_name() -> None:
    observation = observe(PythonTarget("connect_objects:low"), OPTIONS, thorough=False)

    schema = observation.first.signature.tools["low_tool"].definition["inputSchema"]
    assert schema == {"type": "object", "x-unknown": 1.0}
    assert len(observation.others) == 3


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("no_such_module:server", "there is no Python module no_such_module"),
        ("connect_objects.deeper:server", "there is no Python module connect_objects.deeper"),
        ("connect_objects:missing", "the module connect_objects has no missing"),
        ("connect_objects:nothing", "connect_objects:nothing is no MCP server but int"),
        ("connect_broken:server", "connect_broken cannot be imported: RuntimeError: no database"),
        ("connect_leaving:server", "connect_leaving cannot be imported: SystemExit: 3"),
        ("connect_needing:server", "connect_needing cannot be imported: No module named 'not_installed'"),
    ],
)
def test_what_is_no_server_is_said(
    reference: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "connect_broken.py").write_text("raise RuntimeError('no database')")
    (tmp_path / "connect_leaving.py").write_text("raise SystemExit(3)")
    (tmp_path / "connect_needing.py").write_text("import not_installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))

    with pytest.raises(ServerLaunchError) as caught:
        take_snapshot(PythonTarget(reference), OPTIONS)

    assert caught.value.message == words


def test_a_server_that_prints_does_not_write_into_our_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither while it is imported nor while it runs, and afterwards our output is ours again."""
    (tmp_path / "connect_printing.py").write_text(
        "print('importing')\n"
        "from mcp.server.mcpserver import MCPServer\n"
        "from contextlib import asynccontextmanager\n"
        "@asynccontextmanager\n"
        "async def life(app):\n"
        "    print('running')\n"
        "    yield\n"
        "server = MCPServer('printing', lifespan=life)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))

    take_snapshot(PythonTarget("connect_printing:server"), OPTIONS)
    print("ours")

    captured = capsys.readouterr()
    assert captured.out == "ours\n"
    assert "importing\nrunning\n" in captured.err


def test_a_server_that_fails_at_once_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "connect_failing.py").write_text(
        "class Failing:\n"
        "    def create_initialization_options(self): return None\n"
        "    async def run(self, *streams): raise RuntimeError('no database')\n"
        "server = Failing()\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))

    with pytest.raises(ServerExitedError, match="RuntimeError: no database"):
        take_snapshot(PythonTarget("connect_failing:server"), OPTIONS)
