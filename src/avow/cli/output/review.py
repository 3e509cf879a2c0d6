"""What `avow lock` shows before it asks: everything a new server can do, or what a known one would change."""

from collections.abc import Iterator

from avow.cli.output.console import BLANK, Line, line, to_string
from avow.cli.output.drift_lines import STYLES, drift_lines
from avow.cli.output.facts import one_line, target_words
from avow.cli.output.json import variance_document
from avow.cli.output.snapshot_lines import snapshot_lines, variance_lines, warning_lines
from avow.core.canonical import JsonObject
from avow.core.drift.model import drift_document, highest
from avow.core.value_shape import in_words
from avow.system.approving import Candidate


def review(candidate: Candidate) -> str:
    """The review of one server, as text."""
    return to_string(_review_lines(candidate))


def review_document(candidate: Candidate, *, status: str) -> JsonObject:
    """What became of one server, as a document."""
    document: JsonObject = {
        "status": status,
        "digest": candidate.entry.snapshot.signature.digest,
        "drift": [drift_document(drift) for drift in candidate.drift],
        "highest": highest(candidate.drift),
        "variance": variance_document(candidate.varies),
    }
    if volatile := candidate.entry.snapshot.volatile:
        document["volatile"] = [place.pointer for place in volatile]
    return document


def _review_lines(candidate: Candidate) -> Iterator[Line]:
    name = one_line(candidate.name)
    if candidate.before is None:
        yield line((name, "bold"), "  new")
        yield BLANK
        yield from snapshot_lines(candidate.entry.snapshot, candidate.varies)
        if candidate.drift:
            yield BLANK
            yield line("Compared with what MCPTrust approved:")
            yield from drift_lines(candidate.drift, candidate.entry.snapshot)
    elif not candidate.needs_approval:
        yield line((name, "bold"), "  ", ("as approved", "green"))
    else:
        yield from _change_lines(candidate)
    yield from _volatile_lines(candidate)


def _change_lines(candidate: Candidate) -> Iterator[Line]:
    assert candidate.before is not None
    worst = highest(candidate.drift)
    yield line(
        (one_line(candidate.name), "bold"), "  ", ("has changed", STYLES[worst] if worst else "yellow")
    )
    if candidate.moved:
        yield line(("- ", "red"), target_words(candidate.before.snapshot.target), indent=2)
        yield line(("+ ", "green"), target_words(candidate.entry.snapshot.target), indent=2)
    yield from drift_lines(candidate.drift, candidate.entry.snapshot)
    yield from warning_lines(candidate.entry.snapshot)
    yield from variance_lines(candidate.varies)


def _volatile_lines(candidate: Candidate) -> Iterator[Line]:
    places = candidate.entry.snapshot.volatile
    if places:
        yield BLANK
        yield line("Values that change by themselves, and are held to their shape only:")
        for place in places:
            shape = one_line(in_words(place.shape), 160)
            yield line((one_line(place.pointer, 160), "dim"), f"  {shape}", indent=2)
