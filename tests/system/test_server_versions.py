"""The oldest and the newest frameworks: the conversations of declared servers hold in each of them."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONVERSATIONS = ROOT / "tests" / "interaction"
PATIENCE = 600

# `subscriptions=False`, which mcp 2.0 does not have yet.
NEWER = "said_so"


@pytest.mark.real
@pytest.mark.parametrize(
    ("packages", "chosen"),
    [
        (["mcp==2.0.0"], f"not fastmcp and not {NEWER}"),
        (["mcp>=2,<3"], "not fastmcp"),
        (["fastmcp==4.0.0"], "fastmcp"),
        (["fastmcp>=4,<5"], "fastmcp"),
    ],
    ids=["oldest mcp", "newest mcp", "oldest fastmcp", "newest fastmcp"],
)
def test_declared_servers_keep_to_their_signature(tmp_path: Path, packages: list[str], chosen: str) -> None:
    uv = shutil.which("uv")
    assert uv is not None, "these tests need uv"
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([uv, "venv", "-q", "--python", "3.11", tmp_path / "venv"], check=True, timeout=PATIENCE)
    install: list[str | Path] = [
        uv,
        "pip",
        "install",
        "-q",
        "--python",
        python,
        "pytest",
        "-e",
        ROOT,
        *packages,
    ]
    subprocess.run(install, check=True, timeout=PATIENCE)
    # Without FastMCP, what imports it cannot be collected.
    files = [CONVERSATIONS / "test_seed_000_server.py", *sorted((CONVERSATIONS / "server").glob("test_*.py"))]
    if chosen != "fastmcp":
        files = [file for file in files if "import FastMCP" not in file.read_text(encoding="utf-8")]

    ran = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", chosen, *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )

    assert ran.returncode == 0, ran.stdout[-5_000:] + ran.stderr[-2_000:]
