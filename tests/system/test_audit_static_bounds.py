"""Source that was written to exhaust its reader: the audit ends, and says what it left out."""

import re
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

BAD = Path(__file__).parents[1] / "audit_cases" / "AVW030" / "bad_get.py"
MEMORY = 1_500 * 1024 * 1024

HOSTILE: dict[str, tuple[str, Callable[[], str]]] = {
    "a comparison of 300,000 values": ("z.py", lambda: "x = " + "<".join(["a"] * 300_000)),
    "190,000 alternatives": ("z.py", lambda: "if " + " or ".join(["a"] * 190_000) + ": pass"),
    "a long condition in JavaScript": ("z.js", lambda: "x = " + "&&".join(["a"] * 300_000)),
    "a long sum in JavaScript": ("z.js", lambda: "x = " + "+".join(["a"] * 300_000)),
    "a value with many names": ("z.py", lambda: "a=" * 20_000 + "[" + "b," * 20_000 + "]"),
    "many values with many names": ("z.py", lambda: "a," * 20_000 + "=[" + "b," * 20_000 + "]"),
    "the same in JavaScript": ("z.js", lambda: "[" + "a," * 20_000 + "]=[" + "b," * 20_000 + "]"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_an_audit_ends_and_still_finds_what_stands_beside(tmp_path: Path, what: str) -> None:
    name, text = HOSTILE[what]
    (tmp_path / name).write_text(
        f"import {{ Server }} from 'mcp'\n{text()}" if name.endswith("js") else f"import mcp\n{text()}\n"
    )
    (tmp_path / "server.py").write_text(BAD.read_text())

    done = audit(tmp_path)

    assert done.returncode == 1, done.stderr[-500:]
    assert "AVW030" in done.stdout
    assert re.search(rf"note: {name}: (read in part|not read: there is more code)", done.stdout)


def audit(directory: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "avow", "audit", "--source-only", directory],
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
