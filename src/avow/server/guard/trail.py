"""The audit trail: what happened, to whom it matters, as key and value.

One event is a line of the logger `avow.server` (with the whole event as `record.avow`), a call of the
author's own callback, and, where OpenTelemetry is installed, an event of the current span or a span.
"""

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from mcp.shared.exceptions import MCPError

from avow.core.canonical import JsonObject, JsonValue
from avow.core.severity import Severity
from avow.protocol.events import Event, shown
from avow.protocol.gate.refusal import Refusal
from avow.server.guard.sessions import Session

logger = logging.getLogger("avow.server")

Listener: TypeAlias = Callable[[JsonObject], object]

_ORDINARY: Final = frozenset({"session_active", "session_ended", "declaration_trimmed"})


class Trail:
    """Where the events of one server go."""

    def __init__(self, server_name: str, listener: Listener | None) -> None:
        """Write down what happens at a server; `listener` gets each event as a document."""
        self._server_name = server_name
        self._listener = listener

    def tell(self, happened: Event, session: Session | None = None, **facts: JsonValue) -> None:
        """Write an event down; `facts` are further keys."""
        document: JsonObject = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            **happened.document(),
            "server": self._server_name,
        }
        if session is not None:
            document |= {"session": session.handle, "phase": str(session.phase)}
        # A client chooses methods and versions; it must not write lines of the log with them.
        document |= {
            key: shown(value) if isinstance(value, str) else value
            for key, value in facts.items()
            if value not in (None, "")
        }
        logger.log(_level(happened), "%s", _line(document), extra={"avow": document})
        _trace(document)
        if self._listener is not None:
            try:
                self._listener(document)
            except Exception:
                # Whoever listens must not decide whether a message is refused.
                logger.exception("the listener of audit events failed")

    def refuse(self, refusal: Refusal, session: Session | None, **facts: JsonValue) -> MCPError:
        """Write a refusal down; what comes back is to be raised."""
        self.tell(refusal.event, session, **facts)
        return MCPError(refusal.code, refusal.message, refusal.data)


def _level(happened: Event) -> int:
    if happened.event in _ORDINARY:
        return logging.INFO
    return logging.ERROR if happened.severity is Severity.CRITICAL else logging.WARNING


def _line(document: JsonObject) -> str:
    told = (
        f"{key}={_shown(value)}" for key, value in document.items() if key not in ("time", "event", "server")
    )
    return " ".join([document["event"], *told])


def _shown(value: JsonValue) -> str:
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if text and not set(text) & set(' ="') else '"' + text.replace('"', "'") + '"'


def _trace(document: JsonObject) -> None:
    """Hand an event to OpenTelemetry; without an exporter there, this costs next to nothing."""
    try:
        from opentelemetry import trace
    except ImportError:
        return
    attributes: dict[str, Any] = {
        f"avow.{key}": value if isinstance(value, str | bool | int | float) else _shown(value)
        for key, value in document.items()
        if key not in ("event", "time")
    }
    name, span = f"avow.{document['event']}", trace.get_current_span()
    if span.is_recording():
        span.add_event(name, attributes)
    else:
        # Most refusals happen before the SDK opens the span of a request.
        trace.get_tracer("avow.server").start_span(name, attributes=attributes).end()
