"""From looks at a server to an outcome."""

from dataclasses import replace

import pytest

from avow.core.capability import Capability, Kind, Signature
from avow.core.drift.model import DriftType
from avow.core.lockfile import Entry
from avow.core.policy import AllowRule, Policy
from avow.core.severity import Severity
from avow.core.snapshot import Era, Snapshot
from avow.core.target import StdioTarget
from avow.errors import ServerLaunchError
from avow.system.checking import Compared, Failed, Judging, outcome, settle, variance
from avow.system.connect import Look, MalformedAnswerError, Observation
from avow.system.looking import Seen

JUDGING = Judging(Policy(), "2026-01-01")


def tool(name: str, **members: object) -> Capability:
    definition = {"name": name, "description": "Count words.", "inputSchema": {"type": "object"}, **members}
    return Capability.read(Kind.TOOL, definition)


def shown(*tools: Capability) -> Snapshot:
    return Snapshot(
        StdioTarget("server"), {"name": "x"}, "2025-11-25", Era.LEGACY, {"tools": {}}, Signature.of(tools)
    )


def clock(default: int) -> Snapshot:
    schema = {"type": "object", "properties": {"at": {"type": "integer", "default": default}}}
    return shown(tool("count", inputSchema=schema))


APPROVED = Entry(shown(tool("count")))


def compared(*looks: Look, first: Snapshot = APPROVED.snapshot, judging: Judging = JUDGING) -> Compared:
    found = outcome("x", APPROVED, Seen(Observation(first, looks)), judging)
    assert isinstance(found, Compared)
    return found


def test_a_server_that_has_not_changed_is_as_approved() -> None:
    """No drift, and equal digests."""
    found = compared(Look("at a second look", APPROVED.snapshot))

    assert (found.drift, found.highest, found.counts) == ((), None, "")
    assert found.approved == found.observed


def test_what_only_another_look_shows_says_which() -> None:
    """What both show is told once, and as part of the first."""
    both = shown(tool("count"), tool("one"))
    more = shown(tool("count"), tool("one"), tool("two"))

    found = compared(Look("by a client named cursor", more), first=both)

    assert [(drift.name, drift.seen) for drift in found.drift] == [
        ("one", ""),
        ("two", "by a client named cursor"),
    ]


def test_the_settings_rate_and_allow() -> None:
    """Allowed drift is kept apart, with its rule; the rest is ordered by the new severities."""
    rule = AllowRule("asked for", "2026-01-01", name="one")
    policy = Policy({DriftType.TOOL_ADDED: Severity.MODERATE}, (rule,))
    first = shown(tool("count"), tool("one"), tool("two"))

    found = compared(first=first, judging=Judging(policy, "2026-01-01"))

    assert [(drift.name, drift.severity) for drift in found.drift] == [("two", Severity.MODERATE)]
    assert [(allowed.drift.name, allowed.rule) for allowed in found.allowed] == [("one", rule)]
    assert len(compared(first=first, judging=Judging(policy, "2026-01-02")).drift) == 2


def test_a_malformed_answer_is_critical_drift() -> None:
    """Nothing of it is hashed."""
    found = outcome("x", APPROVED, MalformedAnswerError("a key is there twice"), JUDGING)

    assert isinstance(found, Compared)
    assert (found.observed, found.highest) == (None, Severity.CRITICAL)
    assert found.drift[0].type is DriftType.SIGNATURE_MALFORMED


def test_a_failure_to_look_is_not_an_absence_of_drift() -> None:
    """It has a type of its own, so that nobody can mistake it."""
    error = ServerLaunchError("gone")

    assert outcome("x", APPROVED, error, JUDGING) == Failed("x", error)


def test_values_that_differ_between_looks_and_may_are_set_aside() -> None:
    """Then the looks agree; a value that was volatile before stays so."""
    settled = settle(Observation(clock(1), (Look("again", clock(2)),)))

    assert settled.first.volatile == ("/tools/count/inputSchema/properties/at/default",)
    assert variance(settled) == {}
    assert settle(Observation(clock(1)), settled.first.volatile).first == settled.first


@pytest.mark.parametrize("description", ["Count lines.", "Count words"])
def test_words_that_change_by_themselves_are_variance(description: str) -> None:
    """A model acts on them, so they are never set aside."""
    other = shown(tool("count", description=description))

    found = variance(settle(Observation(APPROVED.snapshot, (Look("again", other),))))

    assert [drift.name for drift in found["again"]] == ["count"]


def test_a_volatile_value_is_not_drift_later() -> None:
    """What was approved lists it; the rest of the tool stays pinned."""
    approved = Entry(settle(Observation(clock(1), (Look("", clock(2)),))).first)
    later = replace(clock(3), notes=("slow",))

    found = outcome("x", approved, Seen(Observation(later)), JUDGING)

    assert isinstance(found, Compared)
    assert (found.drift, found.notes) == ((), ("slow",))
