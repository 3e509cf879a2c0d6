"""Requests of 2026-07-28 that do not say what they must, or say two things at once."""

from collections.abc import Iterator
from typing import Final

from avow.audit.live import rules
from avow.audit.live.envelope import MODERN, envelope, without_capabilities
from avow.audit.live.handshake import FUTURE, PAST
from avow.audit.live.http import Headers
from avow.audit.live.probe import Known, Probe, UnansweredError
from avow.audit.live.talk import NEWEST, Talk
from avow.audit.model import Finding, Pattern
from avow.core.canonical import JsonObject

_LIST: Final = "tools/list"
_AS_USUAL: Final[Headers] = {"MCP-Protocol-Version": MODERN, "Mcp-Method": _LIST, "Mcp-Session-Id": None}


def versions(talk: Talk, _known: Known) -> Iterator[Finding]:
    """Requests of versions that do not exist, and of none."""
    _discover(talk)
    for version in (PAST, FUTURE):
        if _is_answered(talk, envelope(version)):
            message = f"answers a request of the protocol version {version}, which does not exist"
            yield rules.BAD_VERSION_META.finding(message, evidence=talk.proof(talk.last))
    if _is_answered(talk, envelope(None), _AS_USUAL):
        message = "answers a stateless request that does not say its protocol version"
        yield rules.BAD_VERSION_META.finding(message, evidence=talk.proof(talk.last))


def incapable(talk: Talk, _known: Known) -> Iterator[Finding]:
    """A request that does not say what the client can do."""
    _discover(talk)
    if _is_answered(talk, without_capabilities(), _AS_USUAL):
        message = "answers a stateless request that does not say what the client can do"
        yield rules.UNDECLARED_CLIENT_META.finding(message, evidence=talk.proof(talk.last))


def silent(talk: Talk, _known: Known) -> Iterator[Finding]:
    """A request that says nothing at all."""
    _discover(talk)
    if _is_answered(talk, {}, _AS_USUAL):
        message = "answers a stateless request that says nothing about the client"
        yield rules.UNDECLARED_CLIENT_META.finding(message, evidence=talk.proof(talk.last))


def version_header(talk: Talk, _known: Known) -> Iterator[Finding]:
    """A request whose header names another version than its body."""
    _discover(talk)
    if _is_answered(talk, envelope(), {"MCP-Protocol-Version": NEWEST}):
        message = "answers a request whose header contradicts its protocol version"
        yield rules.BAD_VERSION_META.finding(message, evidence=talk.proof(talk.last))


def method_header(talk: Talk, _known: Known) -> Iterator[Finding]:
    """Requests whose header names another method than their body, or none."""
    _discover(talk)
    if _is_answered(talk, envelope(), {"Mcp-Method": "prompts/list"}):
        message = "answers a request whose header contradicts its method"
        yield rules.BAD_HEADERS.finding(message, evidence=talk.proof(talk.last))
    if _is_answered(talk, envelope(), {"Mcp-Method": None}):
        message = "answers a request whose header does not name its method"
        yield rules.BAD_HEADERS.finding(message, evidence=talk.proof(talk.last))


def _discover(talk: Talk) -> None:
    """Show the server which era this is: one that speaks both may take what follows for the other."""
    if talk.request("server/discover", envelope()).result is None:
        raise UnansweredError


def _is_answered(talk: Talk, params: JsonObject, headers: Headers | None = None) -> bool:
    reply = talk.request(_LIST, params, headers)
    if not reply.came:
        raise UnansweredError
    return reply.result is not None


ALWAYS: Final[tuple[Probe, ...]] = (
    Probe("versions, stateless", Pattern.DOWNGRADE, versions),
    Probe("nothing about what the client can do", Pattern.INITIALIZATION, incapable),
    # A server of both eras may take it for one of the older, in which it came too early.
    Probe("nothing about the client", Pattern.INITIALIZATION, silent, rules.LIST_BEFORE_INITIALIZE),
)
OVER_HTTP: Final[tuple[Probe, ...]] = (
    Probe("a contradicting version", Pattern.DOWNGRADE, version_header),
    Probe("a contradicting method", Pattern.INITIALIZATION, method_header),
)
