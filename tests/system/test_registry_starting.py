"""Several processes of one registry that start at the same moment, on a store that is still empty."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from registry_postgres import Postgres, running_postgres

COUNT = 3


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/registry.sqlite"
    server: Postgres = request.getfixturevalue("postgres")
    return server.address()


def started(data: Path, database: str) -> "subprocess.Popen[str]":
    options = ("--data", str(data), "--database", database, "--listen", "127.0.0.1:0", "--quiet")
    return subprocess.Popen(
        [sys.executable, "-m", "avow", "registry", "serve", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def said(process: "subprocess.Popen[str]") -> list[str]:
    """What it prints until it serves."""
    lines = []
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line)
        if line.startswith("http"):
            return lines
    raise AssertionError(process.communicate()[1])


def test_exactly_one_administrators_token_is_shown_and_all_accept_it(tmp_path: Path, database: str) -> None:
    """They make the directory, the key of the log, the tables and the token all at once."""
    processes = [started(tmp_path / "data", database) for _ in range(COUNT)]
    try:
        printed = [said(each) for each in processes]
        shown = re.findall(r"avow_\w{16}_\S{43}", "".join(map("".join, printed)))
        assert len(shown) == 1
        headers = {"authorization": f"Bearer {shown[0]}"}
        for lines in printed:
            tokens = httpx.get(f"{lines[-1].strip()}/api/v1/tokens", headers=headers, timeout=30)
            assert [each["person"] for each in tokens.json()["tokens"]] == ["administrator"]
    finally:
        for each in processes:
            each.terminate()
        errors = [each.communicate(timeout=30)[1] for each in processes]
    assert [each.returncode for each in processes] == [0] * COUNT, errors
