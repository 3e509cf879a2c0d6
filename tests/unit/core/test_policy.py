"""What settings make of drift, and settings that say what does not exist."""

from typing import Any

import pytest

from avow.core.drift.model import Change, Drift, DriftType, Effect
from avow.core.policy import Allow, Allowed, AllowRule, Ask, Deny, Policy, apply, decide, read_policy
from avow.core.severity import Severity
from avow.errors import UsageError

TODAY = "2026-11-15"


def drift(
    type_: DriftType = DriftType.TOOL_CHANGED,
    name: str = "search",
    severity: Severity = Severity.CRITICAL,
    paths: tuple[str, ...] = (),
) -> Drift:
    changes = tuple(Change(path, "changed", Effect.OTHER, severity, "differs") for path in paths)
    return Drift(type_, "tool", name, severity, "differs", changes)


def rule(expires: str = "2026-12-31", **selectors: str) -> AllowRule:
    return AllowRule("we agreed on it", expires, **selectors)


def test_settings_are_read_into_a_policy() -> None:
    policy = read_policy(
        {
            "fail_on": "moderate",
            "severity": {"tool_removed": "moderate"},
            "allow": [
                {
                    "server": "web",
                    "type": "tool_changed",
                    "name": "s*",
                    "reason": "r",
                    "expires": "2026-12-31",
                }
            ],
            "gate": {"arguments": "check"},
        }
    )

    assert policy == Policy(
        severities={DriftType.TOOL_REMOVED: Severity.MODERATE},
        allow=(AllowRule("r", "2026-12-31", "web", "tool_changed", "s*"),),
        fail_on=Severity.MODERATE,
        gate={"arguments": "check"},
    )
    assert read_policy({}) == Policy()


@pytest.mark.parametrize(
    ("data", "complaint", "hint"),
    [
        pytest.param({"alow": []}, "'alow'", "did you mean allow?", id="misspelt table"),
        pytest.param({"fail-on": "info"}, "'fail-on'", "did you mean fail_on?", id="misspelt key"),
        pytest.param({"zzz": {}}, "'zzz'", "possible are fail_on, severity, allow, gate", id="unknown table"),
        pytest.param({"severity": []}, "severity is not a table", "[severity]", id="severity is no table"),
        pytest.param({"gate": 1}, "gate is not a table", "[gate]", id="gate is no table"),
        pytest.param(
            {"severity": {"tool_remove": "info"}}, "tool_remove", "tool_removed", id="misspelt type"
        ),
        pytest.param(
            {"severity": {"tool_added": "low"}}, "severity.tool_added is none of", "", id="no severity"
        ),
        pytest.param({"severity": {"tool_added": 1}}, "severity.tool_added is none of", "", id="a number"),
        pytest.param(
            {"severity": {"signature_malformed": "info"}}, "signature_malformed", "", id="fixed type"
        ),
        pytest.param({"fail_on": "never"}, "fail_on is none of", "", id="unknown threshold"),
        pytest.param({"allow": {}}, "not a list", "two brackets", id="one bracket"),
        pytest.param({"allow": [1]}, "not a list", "two brackets", id="a rule is no table"),
        pytest.param({"allow": [{"nam": "x"}]}, "'nam'", "did you mean name?", id="misspelt selector"),
        pytest.param({"allow": [{"name": 1}]}, "name in", "", id="selector is no text"),
        pytest.param({"allow": [{"name": "x", "expires": "2026-12-31"}]}, "reason", "why", id="no reason"),
        pytest.param(
            {"allow": [{"name": "x", "reason": " ", "expires": "2026-12-31"}]},
            "reason",
            "why",
            id="blank reason",
        ),
        pytest.param({"allow": [{"name": "x", "reason": "r"}]}, "expiry", "expires =", id="no expiry"),
        pytest.param(
            {"allow": [{"name": "x", "reason": "r", "expires": "soon"}]}, "expiry", "expires =", id="no date"
        ),
        pytest.param(
            {"allow": [{"name": "x", "reason": "r", "expires": "2026-13-01"}]},
            "expiry",
            "",
            id="no such month",
        ),
        pytest.param(
            {"allow": [{"reason": "r", "expires": "2026-12-31"}]}, "everything", "server", id="too wide"
        ),
        pytest.param(
            {"allow": [{"type": "tool_add", "reason": "r", "expires": "2026-12-31"}]},
            "tool_add",
            "tool_added",
            id="type",
        ),
        pytest.param(
            {"allow": [{"type": "signature_malformed", "reason": "r", "expires": "2026-12-31"}]},
            "signature_malformed",
            "",
            id="never allowed",
        ),
    ],
)
def test_a_setting_that_does_not_exist_is_an_error(data: dict[str, Any], complaint: str, hint: str) -> None:
    with pytest.raises(UsageError, match=complaint.replace("[", r"\[")) as caught:
        read_policy(data)

    assert hint in caught.value.hint


def test_severities_follow_the_policy() -> None:
    policy = Policy(severities={DriftType.TOOL_REMOVED: Severity.CRITICAL})

    kept, allowed = apply(
        policy, "web", [drift(DriftType.TOOL_REMOVED, severity=Severity.INFO), drift()], today=TODAY
    )

    assert [found.severity for found in kept] == [Severity.CRITICAL, Severity.CRITICAL]
    assert allowed == ()


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        pytest.param(rule(name="search"), True, id="name"),
        pytest.param(rule(name="s*h"), True, id="pattern"),
        pytest.param(rule(name="Search"), False, id="another case"),
        pytest.param(rule(server="w?b"), True, id="server"),
        pytest.param(rule(server="files"), False, id="another server"),
        pytest.param(rule(type="tool_changed"), True, id="type"),
        pytest.param(rule(type="tool_added"), False, id="another type"),
        pytest.param(rule(path="/description"), False, id="only one of two places"),
        pytest.param(rule(path="/*"), True, id="all places"),
        pytest.param(rule("2026-11-15", name="search"), True, id="on its last day"),
        pytest.param(rule("2026-11-14", name="search"), False, id="expired"),
    ],
)
def test_a_rule_allows_what_it_names(given: AllowRule, fits: bool) -> None:
    found = drift(paths=("/description", "/inputSchema/properties/q"))

    kept, allowed = apply(Policy(allow=(given,)), "web", [found], today=TODAY)

    assert (kept, allowed) == (((), (Allowed(found, given),)) if fits else ((found,), ()))


def test_a_path_covers_what_lies_below_it() -> None:
    deep = drift(paths=("/inputSchema/properties/q/description",))
    beside = drift(paths=("/inputSchemas",))

    kept, allowed = apply(Policy(allow=(rule(path="/inputSchema"),)), "web", [deep, beside], today=TODAY)

    assert kept == (beside,)
    assert [item.drift for item in allowed] == [deep]


def test_a_rule_about_a_place_says_nothing_about_a_whole_tool() -> None:
    added = drift(DriftType.TOOL_ADDED)

    assert apply(Policy(allow=(rule(path="*"),)), "web", [added], today=TODAY) == ((added,), ())


def test_no_rule_allows_an_answer_that_cannot_be_read() -> None:
    malformed = drift(DriftType.SIGNATURE_MALFORMED)

    assert apply(Policy(allow=(rule(server="*"),)), "web", [malformed], today=TODAY) == ((malformed,), ())


def test_expired_rules_are_named() -> None:
    old, current = rule("2026-01-01", name="a"), rule(name="b")

    assert Policy(allow=(old, current)).expired(TODAY) == (old,)


def test_decisions_follow_the_threshold() -> None:
    moderate, critical = drift(severity=Severity.MODERATE), drift()

    assert decide([], Policy()) == Allow()
    assert decide([moderate], Policy()) == Ask((moderate,))
    assert decide([moderate, critical], Policy()) == Deny((critical,))
    assert decide([moderate], Policy(fail_on=Severity.MODERATE)) == Deny((moderate,))
