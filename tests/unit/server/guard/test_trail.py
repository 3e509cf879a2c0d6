"""The audit trail: a line with keys and values, a document for a listener, and OpenTelemetry."""

import logging
import sys
from collections.abc import Mapping
from typing import Any

import pytest
from opentelemetry import trace

from avow.core.severity import Severity
from avow.core.snapshot import Era
from avow.protocol.events import event
from avow.protocol.gate.refusal import invalid_request
from avow.protocol.gate.session import Phase
from avow.server.guard.sessions import Session
from avow.server.guard.trail import Trail

SESSION = Session("abc", Era.LEGACY, Phase.INIT_SENT)


class Span(trace.NonRecordingSpan):
    """A span that keeps its events."""

    def __init__(self) -> None:
        super().__init__(trace.INVALID_SPAN_CONTEXT)
        self.events: list[tuple[str, Mapping[str, Any]]] = []

    def is_recording(self) -> bool:
        return True

    def add_event(self, name: str, attributes: Any = None, timestamp: Any = None) -> None:
        self.events.append((name, attributes))


def test_a_line_has_keys_and_values(caplog: pytest.LogCaptureFixture) -> None:
    happened = event("protocol_downgrade", Severity.INFO, name="2025-06-18", detail='older than "preferred"')

    with caplog.at_level(logging.INFO, "avow.server"):
        Trail("notes", None).tell(happened, SESSION, requested="2025-06-18", supported=["a", "b"], none=None)

    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage() == (
        "protocol_downgrade severity=info name=2025-06-18 detail=\"older than 'preferred'\""
        " session=abc phase=init_sent requested=2025-06-18 supported=a,b"
    )
    document = record.avow  # type: ignore[attr-defined]
    assert document.keys() >= {"time", "event", "server", "severity"}
    assert "none" not in document


@pytest.mark.parametrize(
    ("name", "severity", "level"),
    [
        ("session_active", Severity.INFO, logging.INFO),
        ("phase_violation", Severity.MODERATE, logging.WARNING),
        ("call_refused", Severity.CRITICAL, logging.ERROR),
    ],
)
def test_levels(caplog: pytest.LogCaptureFixture, name: str, severity: Severity, level: int) -> None:
    with caplog.at_level(logging.INFO, "avow.server"):
        Trail("notes", None).tell(event(name, severity))

    assert [record.levelno for record in caplog.records] == [level]


def test_a_listener_that_fails_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def failing(document: Any) -> None:
        raise OSError("the disk is full")

    error = Trail("notes", failing).refuse(invalid_request("not now"), SESSION)

    assert (error.error.code, error.error.message) == (-32600, "avow: not now")
    assert "the listener of audit events failed" in caplog.text


def test_a_span_hears_of_it() -> None:
    span = Span()

    with trace.use_span(span):
        Trail("notes", None).tell(event("phase_violation", Severity.MODERATE), SESSION, tried=["a", "b"])

    ((name, attributes),) = span.events
    assert name == "avow.phase_violation"
    assert attributes["avow.session"] == "abc"
    assert attributes["avow.tried"] == "a,b"


def test_without_a_span_there_is_one_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most refusals happen before the SDK opens the span of the request."""
    started: list[tuple[str, Any]] = []

    class Tracer(trace.NoOpTracer):
        def start_span(self, name: str, *arguments: Any, attributes: Any = None, **options: Any) -> Any:
            started.append((name, attributes))
            return super().start_span(name)

    monkeypatch.setattr(trace, "get_tracer", lambda name: Tracer())
    Trail("notes", None).tell(event("phase_violation", Severity.MODERATE))

    assert started == [
        ("avow.phase_violation", {"avow.severity": "moderate", "avow.server": "notes"}),
    ]


def test_it_does_without_opentelemetry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    heard: list[Any] = []

    Trail("notes", heard.append).tell(event("phase_violation", Severity.MODERATE))

    assert [one["event"] for one in heard] == ["phase_violation"]


def test_a_client_cannot_write_lines_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    Trail("notes", None).refuse(
        invalid_request("no"), SESSION, method="x\nsession_active session=boss\x1b[2J"
    )

    line = caplog.records[0].getMessage()
    assert "\n" not in line
    assert "\x1b" not in line
