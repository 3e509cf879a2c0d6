"""From looks at a server to an outcome."""

import json
from dataclasses import replace
from typing import Any

import pytest

from avow.core.capability import Capability, Kind, Signature
from avow.core.drift.model import Drift, DriftType
from avow.core.lockfile import Entry, Lockfile, dumps, loads
from avow.core.mcptrust import MCPTrustLockfile
from avow.core.policy import AllowRule, Policy
from avow.core.severity import Severity
from avow.core.snapshot import Era, Snapshot, Source, Volatile
from avow.core.target import StdioTarget
from avow.errors import ServerLaunchError
from avow.system.checking import Compared, Failed, Judging, outcome, settle, variance
from avow.system.connect import Look, MalformedAnswerError, Observation
from avow.system.looking import Seen

AT = "/tools/count/inputSchema/properties/at/default"
JUDGING = Judging(Policy(), "2026-01-01")


def tool(name: str, **members: object) -> Capability:
    definition = {"name": name, "description": "Count words.", "inputSchema": {"type": "object"}, **members}
    return Capability.read(Kind.TOOL, definition)


def shown(*tools: Capability) -> Snapshot:
    return Snapshot(
        StdioTarget("server"), {"name": "x"}, "2025-11-25", Era.LEGACY, {"tools": {}}, Signature.of(tools)
    )


def clock(default: object) -> Snapshot:
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


def test_many_differences_seen_by_many_looks_are_told_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is compared with what is known about the same thing, not with everything that is known."""
    changed = shown(tool("count"), *(tool(f"tool-{number}") for number in range(200)))
    is_equal = Drift.__eq__
    asked: list[Drift] = []

    def counted(one: Drift, other: Drift) -> bool:
        asked.append(one)
        return is_equal(one, other)

    monkeypatch.setattr(Drift, "__eq__", counted)

    found = compared(Look("again", changed), Look("once more", changed), first=changed)

    assert len(found.drift) == 200
    assert len(asked) == 400


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

    assert settled.first.volatile == (Volatile(AT, "number"),)
    assert variance(settled) == {}
    assert settle(Observation(clock(1)), settled.first.volatile).first == settled.first


@pytest.mark.parametrize("description", ["Count lines.", "Count words"])
def test_words_that_change_by_themselves_are_variance(description: str) -> None:
    """A model acts on them, so they are never set aside."""
    other = shown(tool("count", description=description))

    found = variance(settle(Observation(APPROVED.snapshot, (Look("again", other),))))

    assert [drift.name for drift in found["again"]] == ["count"]


@pytest.mark.parametrize("level", ["low", "medium", "high"])
def test_a_risk_written_in_the_lockfile_is_not_believed(level: str) -> None:
    """Somebody may have edited it, and no digest covers it: both definitions are rated anew."""
    document = json.loads(dumps(Lockfile({"x": APPROVED})))
    document["servers"]["x"]["tools"][0]["risk"] = {"level": level, "reasons": []}
    approved = loads(json.dumps(document).encode()).servers["x"]
    schema = {"type": "object", "properties": {"command": {"type": "string"}}}
    riskier = shown(tool("count", description="Execute a shell command.", inputSchema=schema))

    found = outcome("x", approved, Seen(Observation(riskier)), JUDGING)

    assert isinstance(found, Compared)
    rises = [drift for drift in found.drift if drift.type is DriftType.RISK_LEVEL_CHANGED]
    assert [(drift.severity, drift.summary.split(":")[0]) for drift in rises] == [
        (Severity.CRITICAL, "risk rises from medium to high")
    ]


def test_a_volatile_value_is_not_drift_later() -> None:
    """What was approved lists it; the rest of the tool stays pinned."""
    approved = Entry(settle(Observation(clock(1), (Look("", clock(2)),))).first)
    later = replace(clock(3), notes=("slow",))

    found = outcome("x", approved, Seen(Observation(later)), JUDGING)

    assert isinstance(found, Compared)
    assert (found.drift, found.notes) == ((), ("slow",))


def test_no_drift_repeats_what_the_server_was_given() -> None:
    """Neither of the first look nor of another, and the digests are those of what the server really says."""
    first, second = shown(tool("count", description="As s3cret-value.")), shown(tool("s3cret-value"))

    found = outcome(
        "x",
        APPROVED,
        Seen(Observation(first, (Look("again", second),)), given={"A": "s3cret-value"}),
        JUDGING,
    )

    assert isinstance(found, Compared)
    assert "s3cret-value" not in repr(found)
    assert found.observed == first.signature.digest
    assert [(drift.type, drift.name) for drift in found.drift] == [
        (DriftType.TOOL_ADDED, "[A]"),
        (DriftType.TOOL_CHANGED, "count"),
        (DriftType.TOOL_REMOVED, "count"),
    ]


def test_a_value_that_was_approved_and_given_is_no_drift() -> None:
    """Somebody passes a word that the server has always used."""
    given = {"A": "Count words."}

    found = outcome("x", APPROVED, Seen(Observation(APPROVED.snapshot), given=given), JUDGING)

    assert isinstance(found, Compared)
    assert found.drift == ()


def test_nor_does_drift_from_a_lockfile_of_mcptrust() -> None:
    """Its hashes are of what the server really says; what is told about it is not."""
    approved = MCPTrustLockfile("3.0", {}, {}, {})
    first = shown(tool("as-s3cret-value"))

    found = outcome("x", approved, Seen(Observation(first), given={"A": "s3cret-value"}), JUDGING)

    assert isinstance(found, Compared)
    assert [(drift.type, drift.name) for drift in found.drift] == [(DriftType.TOOL_ADDED, "as-[A]")]
    assert "s3cret-value" not in repr(found)


OTHER_ERA = replace(
    APPROVED.snapshot,
    server={"name": "x", "version": "2"},
    protocol_version="2026-07-28",
    protocol_versions=("2026-07-28",),
    era=Era.MODERN,
    capabilities={"tools": {}, "extensions": {}},
    configuration_schema={"environmentVariables": []},
    source=Source.DECLARED,
)


def test_a_look_in_the_other_era_may_negotiate_otherwise() -> None:
    """Versions, capabilities and configuration belong to an era; nobody is told that they differ."""
    look = Look("by server/discover", OTHER_ERA, other_era=True)

    assert compared(look).drift == ()
    assert variance(Observation(APPROVED.snapshot, (look,))) == {}
    assert compared(replace(look, other_era=False)).drift


@pytest.mark.parametrize(
    ("change", "type_"),
    [
        pytest.param({"signature": Signature()}, DriftType.TOOL_REMOVED, id="signature"),
        pytest.param({"instructions": "Be quick."}, DriftType.INSTRUCTIONS_CHANGED, id="instructions"),
        pytest.param({"server": {"name": "y"}}, DriftType.SERVER_CHANGED, id="name"),
        pytest.param({"server": {}}, DriftType.SERVER_CHANGED, id="no name"),
    ],
)
def test_what_a_server_is_and_offers_is_the_same_in_both_eras(change: Any, type_: DriftType) -> None:
    look = Look("by server/discover", replace(OTHER_ERA, **change), other_era=True)

    assert [(drift.type, drift.seen) for drift in compared(look).drift] == [(type_, look.seen)]
    assert [drift.type for drift in variance(Observation(APPROVED.snapshot, (look,)))[look.seen]] == [type_]
