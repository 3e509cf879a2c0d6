"""Counts for whoever watches the registry, in the text format of Prometheus."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_HELP: Final = {
    "avow_registry_requests_total": ("counter", "HTTP requests, by method, route and status."),
    "avow_registry_request_seconds": ("histogram", "How long answers took."),
    "avow_registry_publications_total": ("counter", "Publications, by outcome."),
    "avow_registry_refusals_total": ("counter", "Requests refused before they were looked at, by reason."),
    "avow_registry_webhooks_total": ("counter", "Deliveries to webhooks, by outcome."),
    "avow_registry_stored": ("gauge", "How much there is, by what."),
}
_Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Counters that only grow. Labels are words of ours, so that no request can make up new ones."""

    def __init__(self) -> None:
        """Nothing counted."""
        self._counters: Counter[tuple[str, _Labels]] = Counter()
        self._buckets = [0] * len(_SECONDS)
        self._seconds = 0.0
        self._answers = 0

    def count(self, name: str, **labels: str) -> None:
        """Something happened."""
        self._counters[f"avow_registry_{name}_total", tuple(labels.items())] += 1

    def answered(self, seconds: float) -> None:
        """A request was answered."""
        self._answers += 1
        self._seconds += seconds
        for place, bound in enumerate(_SECONDS):
            if seconds <= bound:
                self._buckets[place] += 1

    def text(self, stored: Mapping[str, int]) -> str:
        """Everything, in the text format."""
        lines: list[str] = []
        for name, (kind, help_text) in _HELP.items():
            lines += [f"# HELP {name} {help_text}", f"# TYPE {name} {kind}", *self._samples(name, stored)]
        return "\n".join([*lines, ""])

    def _samples(self, name: str, stored: Mapping[str, int]) -> Iterable[str]:
        if name == "avow_registry_stored":
            for what, count in sorted(stored.items()):
                yield _sample(name, (("what", what),), count)
        elif name == "avow_registry_request_seconds":
            for bound, count in zip(_SECONDS, self._buckets, strict=True):
                yield _sample(f"{name}_bucket", (("le", str(bound)),), count)
            yield _sample(f"{name}_bucket", (("le", "+Inf"),), self._answers)
            yield f"{name}_sum {self._seconds:.6f}"
            yield f"{name}_count {self._answers}"
        for (counted, labels), count in sorted(self._counters.items()):
            if counted == name:
                yield _sample(name, labels, count)


def _sample(name: str, labels: _Labels, value: int) -> str:
    inside = ",".join(f'{label}="{text}"' for label, text in labels)
    return f"{name}{{{inside}}} {value}"
