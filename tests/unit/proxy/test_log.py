"""The log of a session: bounded, whatever a server does, and honest about what it left out."""

import json
from pathlib import Path

from avow.core.severity import Severity
from avow.protocol.events import event
from avow.proxy.log import EventLog


def test_what_repeats_itself_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log = EventLog("files", path)

    for _ in range(5000):
        log.write([event("unreadable", Severity.MODERATE, detail="no message")])
    log.close()

    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    written = sum(1 for line in lines if "repeated" not in line)
    assert written + sum(line.get("repeated", 0) for line in lines) == 5000
    assert len(lines) < 500
    assert all(line.keys() >= {"time", "server", "event", "severity"} for line in lines)
