"""Live audits of servers of the official SDK: as they come, and guarded."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from audit_live_helpers import SERVERS, audit, found
from avow.audit.model import Pattern, Verdict
from avow.core.target import HttpTarget, PythonTarget, StdioTarget

GUARDED = Path(__file__).parents[2] / "examples" / "guarded_server.py"
# What the SDK does for everybody: it declares what is empty, and does not wait for the end of the handshake.
AS_IT_COMES = {"AVW102", "AVW131", "AVW141", "AVW143"}


def test_the_sdk_over_http() -> None:
    with serving(SERVERS / "sdk_tools.py") as url:
        report = audit(HttpTarget(url), timeout=60)

    assert found(report) == AS_IT_COMES


def test_an_object_in_our_own_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without HTTP around it, a notification alone opens the session."""
    monkeypatch.syspath_prepend(str(SERVERS))
    report = audit(PythonTarget("sdk_tools:server"), timeout=60)

    assert found(report) == AS_IT_COMES | {"AVW140"}
    assert report.scorecard[Pattern.FEATURE_GRANTS] is Verdict.PASS
    assert report.scorecard[Pattern.DOWNGRADE] is Verdict.PASS


def test_a_guarded_server_passes_every_probe_over_stdio() -> None:
    report = audit(StdioTarget(sys.executable, (str(GUARDED),)), "name_note", timeout=60)

    assert report.findings == ()
    assert report.notes == ()
    assert set(report.scorecard.values()) == {Verdict.PASS}


def test_a_guarded_server_passes_every_probe_over_http() -> None:
    with serving(GUARDED) as url:
        report = audit(HttpTarget(url), "name_note", timeout=60)

    assert report.findings == ()
    assert report.notes == ()
    assert set(report.scorecard.values()) <= {Verdict.PASS, Verdict.NOT_APPLICABLE}


@contextmanager
def serving(program: Path) -> Iterator[str]:
    """Run a program that serves over HTTP, until the end of the test."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, str(program), "--http", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for(port)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.kill()


def _wait_for(port: int) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(f"nobody listens on {port}")
