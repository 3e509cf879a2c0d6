"""Probes of the handshake: who is served before it is over, and which versions it agrees to.

Over HTTP the session is the server's: a request before `initialize` has none, or one that nobody opened.
Where a server keeps no sessions, there is no handshake to hold it to, and what it answers early is a remark.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from avow.audit.live import rules
from avow.audit.live.arguments import sample_arguments
from avow.audit.live.http import Headers
from avow.audit.live.probe import Known, Probe, UnansweredError
from avow.audit.live.surface import look
from avow.audit.live.talk import Talk
from avow.audit.model import Finding, Level, Pattern, RuleInfo
from avow.core.capability import Kind

PAST: Final = "1999-01-01"
FUTURE: Final = "2099-12-31"
_OLDEST: Final = "2024-11-05"
_LISTS: Final = tuple(kind.list_method for kind in Kind)
_BEFORE_INITIALIZED: Final = "before notifications/initialized"
_MADE_UP: Final[Headers] = {"Mcp-Session-Id": "00000000-0000-4000-8000-000000000000"}


def before_initialize(talk: Talk, known: Known) -> Iterator[Finding]:
    """Ask for lists before anything else, then open the session as usual."""
    early = [talk.ask(method) for method in _LISTS]
    calls = _calls(talk, known)
    talk.settle([*early, *calls.values()])
    # What comes from here on may have waited for the handshake, as it should.
    for finding in _served(talk, early, "before initialize"):
        yield finding if known.has_session else _without_sessions(finding)
    yield from _carried_out(talk, calls, "before initialize")
    _live_still(talk, [*early, *calls.values()])


def with_made_up_session(talk: Talk, _known: Known) -> Iterator[Finding]:
    """Ask for lists in a session that nobody opened."""
    early = [talk.ask(method, headers=_MADE_UP) for method in _LISTS]
    talk.settle(early)
    yield from _served(talk, early, "in a session that it never opened")
    _live_still(talk, early)


def without_initialize(talk: Talk, _known: Known) -> Iterator[Finding]:
    """Say that the session is initialized when nobody asked to open one, then ask for lists."""
    talk.notify("notifications/initialized")
    early = [talk.ask(method) for method in _LISTS]
    talk.settle(early)
    yield from _served(talk, early, "after a notifications/initialized that no initialize came before")
    _live_still(talk, early)


def before_initialized(talk: Talk, known: Known) -> Iterator[Finding]:
    """Ask for lists between the answer to `initialize` and the notification."""
    _open(talk)
    early = [talk.ask(method) for method in _LISTS]
    calls = _calls(talk, known)
    talk.settle([*early, *calls.values()])
    yield from _served(talk, early, _BEFORE_INITIALIZED, rules.LIST_BEFORE_INITIALIZED)
    yield from _carried_out(talk, calls, _BEFORE_INITIALIZED)
    if talk.is_over:
        raise UnansweredError


def twice(talk: Talk, _known: Known) -> Iterator[Finding]:
    """Open the session, and open it again."""
    _open(talk)
    session = talk.session
    talk.notify("notifications/initialized")
    reply = talk.initialize()
    if not reply.came:
        raise UnansweredError
    # Over HTTP, a server may open another session instead.
    if reply.result is not None and talk.session in (session, None):
        yield rules.INITIALIZED_TWICE.finding(
            "accepts a second initialize in the same session", evidence=talk.proof(talk.last)
        )


def unknown_version(version: str) -> Callable[[Talk, Known], Iterator[Finding]]:
    """Ask for a version that does not exist."""

    def run(talk: Talk, _known: Known) -> Iterator[Finding]:
        reply = talk.initialize(version)
        if not reply.came:
            raise UnansweredError
        if reply.result is not None and reply.result.get("protocolVersion") == version:
            message = f"agrees to the protocol version {version}, which does not exist"
            yield rules.UNKNOWN_VERSION.finding(message, evidence=talk.proof(talk.last))

    return run


def unknown_version_header(talk: Talk, _known: Known) -> Iterator[Finding]:
    """Name a version that does not exist in the header of a request, after an ordinary handshake."""
    _open(talk)
    talk.notify("notifications/initialized")
    reply = talk.request("tools/list", headers={"MCP-Protocol-Version": PAST})
    if not reply.came:
        raise UnansweredError
    if reply.result is not None:
        message = f"answers a request whose header names the protocol version {PAST}, which does not exist"
        yield rules.UNKNOWN_VERSION.finding(message, severity=Level.MEDIUM, evidence=talk.proof(talk.last))


def oldest_version(talk: Talk, known: Known) -> Iterator[Finding]:
    """Ask for the first version that there was, and see whether it costs anything."""
    reply = talk.initialize(_OLDEST)
    if not reply.came:
        raise UnansweredError
    if reply.result is None or reply.result.get("protocolVersion") != _OLDEST:
        return
    number = talk.last
    talk.notify("notifications/initialized")
    seen = look(talk, reply.result)
    names = {(kind, name) for kind in Kind for name in known.surface.items[kind]} - known.volatile
    missing = {(kind, name) for kind, name in names if name not in seen.items[kind]}
    if names and not missing:
        message = f"agrees to the protocol version {_OLDEST}, and offers the same as to the newest"
        yield rules.OLD_VERSION.finding(message, evidence=talk.proof(number, seen.asked[Kind.TOOL]))


def _open(talk: Talk) -> None:
    if talk.initialize().result is None:
        raise UnansweredError


def _served(
    talk: Talk, early: list[int], when: str, rule: RuleInfo = rules.LIST_BEFORE_INITIALIZE
) -> Iterator[Finding]:
    served = {
        number: method
        for method, number in zip(_LISTS, early, strict=True)
        if talk.reply(number).result is not None
    }
    if served:
        message = f"answers {', '.join(served.values())} {when}"
        # Two are proof enough, and leave room for what led to them.
        yield rule.finding(message, evidence=talk.proof(*list(served)[:2]))


def _calls(talk: Talk, known: Known) -> dict[str, int]:
    """Call the tools that may be called, and no other."""
    tools = known.surface.items[Kind.TOOL]
    return {
        name: talk.ask("tools/call", {"name": name, "arguments": sample_arguments(tools.get(name, {}))})
        for name in sorted(known.allowed)
    }


def _carried_out(talk: Talk, calls: dict[str, int], when: str) -> Iterator[Finding]:
    for name, number in calls.items():
        if talk.reply(number).result is not None:
            message = f"carries out a call of {name} {when}"
            yield rules.CALL_BEFORE_INITIALIZED.finding(message, evidence=talk.proof(number))


def _without_sessions(finding: Finding) -> Finding:
    return replace(finding, severity=Level.LOW, message=f"{finding.message}: it keeps no sessions")


def _live_still(talk: Talk, early: list[int]) -> None:
    """Make sure that silence was a refusal: whoever is there answers one way or the other."""
    if not all(talk.reply(number).came for number in early) and not talk.initialize().came:
        raise UnansweredError


_UNLESS: Final = rules.LIST_BEFORE_INITIALIZE
ALWAYS: Final[tuple[Probe, ...]] = (
    Probe("before initialize", Pattern.INITIALIZATION, before_initialize),
    Probe(f"the version {PAST}", Pattern.DOWNGRADE, unknown_version(PAST)),
    Probe(f"the version {FUTURE}", Pattern.DOWNGRADE, unknown_version(FUTURE)),
    Probe(f"the version {_OLDEST}", Pattern.DOWNGRADE, oldest_version),
)
IN_SESSIONS: Final[tuple[Probe, ...]] = (
    Probe("before initialized", Pattern.INITIALIZATION, before_initialized),
    Probe("initialized twice", Pattern.INITIALIZATION, twice),
    Probe("initialized without initialize", Pattern.INITIALIZATION, without_initialize, _UNLESS),
)
OVER_HTTP: Final[tuple[Probe, ...]] = (
    Probe("a version in the header", Pattern.DOWNGRADE, unknown_version_header),
)
IN_SESSIONS_OVER_HTTP: Final[tuple[Probe, ...]] = (
    Probe("a made-up session", Pattern.INITIALIZATION, with_made_up_session, _UNLESS),
)
