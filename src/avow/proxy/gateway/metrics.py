"""Counts for whoever watches the gateway, in the text format of Prometheus."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Final

CONTENT_TYPE: Final = b"text/plain; version=0.0.4; charset=utf-8"

_HELP: Final = {
    "avow_gateway_requests_total": ("counter", "HTTP requests, by server and status."),
    "avow_gateway_refusals_total": ("counter", "Messages that the gate did not let through, by event."),
    "avow_gateway_upstream_failures_total": ("counter", "Requests that a server did not answer."),
    "avow_gateway_sessions": ("gauge", "Sessions of clients up to 2025-11-25."),
    "avow_gateway_streams": ("gauge", "HTTP requests being answered."),
}
_Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Counters that only grow, and gauges that are asked when somebody looks."""

    def __init__(self) -> None:
        """Nothing counted."""
        self._counters: Counter[tuple[str, _Labels]] = Counter()
        self._gauges: dict[str, Callable[[], Mapping[str, int]]] = {}

    def request(self, server: str, status: int) -> None:
        """An HTTP request was answered."""
        self._counters["avow_gateway_requests_total", (("server", server), ("status", str(status)))] += 1

    def refusal(self, server: str, event: str) -> None:
        """The gate held something back."""
        self._counters["avow_gateway_refusals_total", (("server", server), ("event", event))] += 1

    def failure(self, server: str) -> None:
        """A server did not answer."""
        self._counters["avow_gateway_upstream_failures_total", (("server", server),)] += 1

    def gauge(self, name: str, per_server: Callable[[], Mapping[str, int]]) -> None:
        """Ask `per_server` whenever the metrics are read."""
        self._gauges[name] = per_server

    def text(self) -> bytes:
        """Everything, in the text format."""
        lines: list[str] = []
        for name, (kind, help_text) in _HELP.items():
            lines += [f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"]
            lines += self._samples(name)
        return "\n".join([*lines, ""]).encode()

    def _samples(self, name: str) -> Iterable[str]:
        if name in self._gauges:
            for server, value in sorted(self._gauges[name]().items()):
                yield _sample(name, (("server", server),), value)
        for (counted, labels), value in sorted(self._counters.items()):
            if counted == name:
                yield _sample(name, labels, value)


def _sample(name: str, labels: _Labels, value: int) -> str:
    inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels)
    return f"{name}{{{inside}}} {value}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
