"""What whoever runs a registry reads: at the start, in the log, and when they keep it."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import datetime
from pathlib import Path

import httpx

from registry_running import program


def test_a_new_registry_is_audited_and_exported(tmp_path: Path) -> None:
    """Nothing has happened yet, which is as the log says; an export is for a file of its own."""
    with program(tmp_path, "--quiet") as registry:
        data = ("--data", tmp_path / "data")
        audited = registry.avow("registry", "audit", *data)
        first = registry.avow("registry", "export", tmp_path / "e.jsonl", *data)
        again = registry.avow("registry", "export", tmp_path / "e.jsonl", *data, code=2)
        command = [sys.executable, "-m", "avow", "registry", "export", *map(str, data)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as exporting:
            assert exporting.stdout is not None
            exporting.stdout.close()
            said = exporting.communicate(timeout=30)[1]

    assert audited == "all of it is as the log says\n"
    assert "e.jsonl holds what the log of the registry records" in first
    assert "e.jsonl is there already\nhint: name another file" in again
    assert (exporting.returncode, said) == (0, b"")


def test_a_log_without_entries_still_has_no_rows_beside_it(tmp_path: Path) -> None:
    """What is there without being recorded is noticed in an empty log, too."""
    with program(tmp_path, "--quiet"):
        pass
    with closing(sqlite3.connect(tmp_path / "data" / "registry.sqlite")) as database, database:
        database.execute("INSERT INTO namespaces (id, name, claimed_ms) VALUES (1, 'io.github.evil', 1)")

    with program(tmp_path, "--quiet") as registry:
        said = registry.avow("registry", "audit", "--data", tmp_path / "data", code=1)

    assert "namespaces" in said


def test_a_lost_key_is_told_at_the_start_and_each_line_has_its_time(tmp_path: Path) -> None:
    """And not by the first publication that cannot be recorded."""
    with program(tmp_path):
        pass
    (tmp_path / "data" / "log.key").unlink()

    with program(tmp_path) as registry:
        httpx.get(f"{registry.url}/api/v1/servers").raise_for_status()

    warning, hint, *lines = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert warning.startswith("warning: ")
    assert "log.key is not there: everything can be read, and nothing can be recorded" in warning
    assert "put the key back" in hint
    [told] = [json.loads(line) for line in lines]
    assert (told["event"], told["path"]) == ("request", "/api/v1/servers")
    assert datetime.fromisoformat(told["time"]).tzinfo is not None
