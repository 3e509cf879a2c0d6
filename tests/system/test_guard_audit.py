"""A server hardened with the guard passes every live probe, over stdio and over HTTP, in both eras."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from guard_talks import PATIENCE, SERVER

EXAMPLE = Path(__file__).parents[2] / "examples" / "guarded_server.py"
TOKEN = "guest"


def audited(*arguments: str) -> Any:
    """What `avow audit` has to say, as a document."""
    command = [sys.executable, "-m", "avow", "audit", "--format", "json", "--fail-on", "low", *arguments]
    ran = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=3 * PATIENCE,
        check=False,
        env={**os.environ, "GUARD_TOKEN": TOKEN},
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return json.loads(ran.stdout)


def assert_passed(document: Any) -> None:
    assert document["findings"] == []
    assert set(document["scorecard"].values()) <= {"pass", "not-applicable"}
    passed = ("minimal-declaration", "feature-grants", "downgrade", "initialization")
    assert [document["scorecard"][pattern] for pattern in passed] == ["pass"] * 4


def test_the_example_passes_over_stdio() -> None:
    assert_passed(audited("--timeout", "150", "--", sys.executable, str(EXAMPLE)))


@pytest.fixture(params=["official", "lowlevel", "fastmcp"])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    command = [sys.executable, str(SERVER), request.param, "http"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/mcp"
        process.terminate()
        process.wait(PATIENCE)


def test_every_framework_passes_over_http(url: str) -> None:
    header = "Authorization: Bearer ${GUARD_TOKEN}"

    assert_passed(audited("--timeout", "120", "--allow-calls", "ask", "-H", header, url))
