"""Each rule of the live audit: found on a server that breaks it, where it applies, and nowhere else."""

import json
from collections.abc import Callable

import pytest

from audit_live_helpers import failures, found, only, over_http, over_stdio, remarks
from avow.audit.live.rules import LIVE
from avow.audit.model import Level, Pattern, Verdict
from avow.audit.report import Report

Audit = Callable[..., Report]

SOUND = {
    Pattern.MINIMAL_DECLARATION: Verdict.PASS,
    Pattern.FEATURE_GRANTS: Verdict.PASS,
    Pattern.CLIENT_CAPABILITIES: Verdict.NOT_APPLICABLE,
    Pattern.DOWNGRADE: Verdict.PASS,
    Pattern.INITIALIZATION: Verdict.PASS,
}
# What is wrong with a server, the rule that says so, and words of the message.
FLAWS = [
    ("missing", "AVW101", "declares prompts, and does not know prompts/list"),
    ("subscribe legacy", "AVW101", "declares resources.subscribe, and does not know resources/subscribe"),
    ("sampling", "AVW101", "declares sampling, and does not know sampling/createMessage"),
    ("empty", "AVW102", "declares prompts, and has none"),
    ("hidden", "AVW103", "answers resources/list, and does not declare resources"),
    ("outside", "AVW104", "lists tools outside its signature: secret"),
    ("enabled", "AVW110", "lists 1 more tools: secret"),
    ("extension", "AVW110", "claims features, it lists 1 more tools: secret"),
    ("tasks", "AVW110", "claims features, it lists 1 more tools: secret"),
    ("name", "AVW111", "to a client that calls itself admin, it lists 1 more tools: secret"),
    ("title", "AVW111", "to a client that has another title and version, it lists 1 more tools: secret"),
    ("release", "AVW111", "to a client that has another title and version, it lists 1 more tools: secret"),
    ("echo", "AVW130", "agrees to the protocol version 1999-01-01"),
    ("newer", "AVW130", "agrees to the protocol version 2099-12-31"),
    ("old", "AVW131", "agrees to the protocol version 2024-11-05, and offers the same"),
    ("anyversion", "AVW132", "answers a request of the protocol version 1999-01-01"),
    ("noversion", "AVW132", "does not say its protocol version"),
    ("early", "AVW140", "answers tools/list before initialize"),
    ("eager", "AVW141", "answers tools/list before notifications/initialized"),
    ("again", "AVW143", "accepts a second initialize"),
    ("nometa", "AVW144", "does not say what the client can do"),
]
ONLY_OVER_STDIO = [
    ("asks", "AVW120", "sends roots/list to a client that did not declare roots"),
    ("blue legacy", "AVW140", "answers tools/list after a notifications/initialized that no initialize"),
    ("sticky", "AVW110", "to a request that follows one with claims, it lists 1 more tools: secret"),
]
ONLY_OVER_HTTP = [
    ("headers modern", "AVW132", "whose header contradicts its protocol version"),
    ("headers modern", "AVW145", "whose header contradicts its method"),
    ("headers modern", "AVW145", "whose header does not name its method"),
    ("headers legacy", "AVW130", "whose header names the protocol version 1999-01-01"),
    ("anysession legacy", "AVW140", "answers tools/list in a session that it never opened"),
]
MODERN = frozenset({"anyversion", "noversion", "nometa", "sticky"})


def in_its_era(flaws: str) -> list[str]:
    """The flaws of a server that speaks no other era than theirs."""
    return [*flaws.split(), "modern" if flaws in MODERN else "legacy" if " " not in flaws else ""]


def test_every_rule_is_broken_by_one_of_the_flaws() -> None:
    broken = {rule for _, rule, _ in (*FLAWS, *ONLY_OVER_STDIO, *ONLY_OVER_HTTP)} | {"AVW142"}

    assert broken == {info.id for info in LIVE}


@pytest.mark.parametrize("audit", [over_stdio, over_http])
@pytest.mark.parametrize("era", ["legacy", "modern", "both"])
def test_a_sound_server_passes_in_each_era(audit: Audit, era: str) -> None:
    report = audit(era)

    assert report.findings == ()
    assert report.scorecard == SOUND
    assert all("could not tell" not in note for note in report.notes)


@pytest.mark.parametrize(("flaws", "rule", "words"), [*FLAWS, *ONLY_OVER_HTTP])
def test_a_flaw_is_found_over_http(flaws: str, rule: str, words: str) -> None:
    report = over_http(*in_its_era(flaws))

    assert {finding.rule for finding in report.findings if words in finding.message} == {rule}
    # Who agrees to anything agrees to the oldest version, too; two rules are about headers.
    assert found(report) - {rule} <= {"echo": {"AVW131"}, "headers modern": {"AVW132", "AVW145"}}.get(
        flaws, set()
    )
    assert all(finding.evidence for finding in report.findings)


@pytest.mark.parametrize(("flaws", "rule", "words"), ONLY_OVER_STDIO)
def test_a_flaw_is_found_in_a_program(flaws: str, rule: str, words: str) -> None:
    report = over_stdio(*in_its_era(flaws))

    assert found(report) == {rule}
    assert any(words in finding.message for finding in report.findings)


def test_many_flaws_of_a_program_are_found_at_once() -> None:
    """The same program with everything wrong with it, but what hides something else."""
    hiding = {"missing", "newer", "subscribe legacy", "outside"}
    report = over_stdio(*({flaw for flaw, _, _ in FLAWS} - hiding), "flag")

    assert found(report) == {rule for _, rule, _ in FLAWS} - {"AVW104"}
    assert failures(report) == {str(pattern) for pattern in Pattern} - {"client-capabilities"}


@pytest.mark.parametrize("flaw", ["missing", "empty", "hidden", "outside", "enabled", "name", "sampling"])
def test_a_flaw_is_found_where_there_is_no_handshake(flaw: str) -> None:
    rules = {flaw: rule for flaw, rule, _ in FLAWS}

    assert found(over_http(flaw, "modern")) == {rules[flaw]}


def test_a_flag_that_is_claimed_adds_to_what_is_declared() -> None:
    """As in the vulnerable example that everybody copies: `experimental?.advancedMode === true`."""
    report = over_http("flag", "legacy")

    messages = {finding.message for finding in report.findings}
    assert messages == {
        "to a client that claims features, it declares experimental, experimental.advancedMode",
        "to a client that claims features, it lists 1 more tools: secret",
    }
    assert failures(report) == {"feature-grants"}


def test_a_tool_is_called_only_with_leave() -> None:
    """Without leave the same server, which carries out early calls, shows only its lists."""
    allowed = over_stdio("early", "eager", "legacy", calls=["echo"])

    assert found(allowed) == {"AVW140", "AVW141", "AVW142"}
    calls = [finding.message for finding in allowed.findings if finding.rule == "AVW142"]
    assert calls == [
        "carries out a call of echo before initialize",
        "carries out a call of echo before notifications/initialized",
    ]
    assert found(over_http("early", "eager", "legacy")) == {"AVW140", "AVW141"}


@pytest.mark.parametrize(("era", "words"), [("legacy", "sends"), ("modern", "asks for")])
@pytest.mark.parametrize("audit", [over_stdio, over_http])
def test_sampling_in_a_call_that_the_client_cannot_do(audit: Audit, era: str, words: str) -> None:
    report = audit("samples", era, calls=["echo"])

    assert only(report).rule == "AVW120"
    assert f"{words} sampling/createMessage" in only(report).message
    assert report.scorecard[Pattern.CLIENT_CAPABILITIES] is Verdict.FAIL


def test_who_asks_only_those_who_can_passes() -> None:
    report = over_stdio("polite", "legacy")

    assert report.findings == ()
    assert report.scorecard[Pattern.CLIENT_CAPABILITIES] is Verdict.PASS


def test_an_old_version_that_costs_something_is_no_finding() -> None:
    assert found(over_http("controls", "legacy")) == set()
    assert remarks(over_http("old", "legacy")) == {"AVW131"}


def test_another_session_is_no_second_handshake() -> None:
    assert found(over_http("reopening", "legacy")) == set()


def test_without_sessions_there_is_no_handshake_to_hold_a_server_to() -> None:
    report = over_http("sessionless", "legacy")

    assert only(report).severity is Level.LOW
    assert only(report).message == "answers tools/list before initialize: it keeps no sessions"
    assert report.scorecard[Pattern.INITIALIZATION] is Verdict.NOT_APPLICABLE


def test_lists_that_change_by_themselves_are_no_finding() -> None:
    report = over_stdio("volatile", "legacy")

    assert report.findings == ()
    assert report.scorecard[Pattern.FEATURE_GRANTS] is Verdict.UNKNOWN
    assert any("its lists change by themselves" in note for note in report.notes)


def test_a_proof_begins_with_what_decides() -> None:
    question, answer, *before = only(over_http("eager", "legacy")).evidence

    assert question == {"client": {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}}
    assert answer["server"]["result"]["tools"][0]["name"] == "echo"
    assert before[0]["client"]["method"] == "initialize"


def test_a_proof_shows_what_led_to_it() -> None:
    report = over_stdio("blue", "legacy")

    assert {"client": {"jsonrpc": "2.0", "method": "notifications/initialized"}} in only(report).evidence


def test_a_proof_over_http_shows_the_headers() -> None:
    report = over_http("headers", "modern")

    (finding,) = (one for one in report.findings if "contradicts its method" in one.message)
    assert finding.evidence[0]["client"]["headers"] == {"Mcp-Method": "prompts/list"}
    assert finding.evidence[0]["client"]["body"]["method"] == "tools/list"
    assert len(json.dumps(finding.evidence)) < 4_000
