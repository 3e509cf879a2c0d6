"""What a server asks of its client: sampling, roots and elicitation, declared or not."""

from collections.abc import Iterator
from typing import Final

from avow.audit.live import rules
from avow.audit.live.arguments import sample_arguments
from avow.audit.live.envelope import envelope
from avow.audit.live.probe import Known, Probe, UnansweredError
from avow.audit.live.talk import Talk
from avow.audit.model import Finding, Pattern
from avow.core.canonical import JsonObject
from avow.core.capability import Kind

EVERYTHING: Final[JsonObject] = {"sampling": {}, "roots": {"listChanged": True}, "elicitation": {}}
_FAMILIES: Final = tuple(f"{name}/" for name in EVERYTHING)


def unsolicited(talk: Talk) -> Iterator[Finding]:
    """What the server asked in this talk, in which we declared nothing; only the first of each kind."""
    asked: dict[str, JsonObject] = {}
    for message in talk.asked:
        if message["method"].startswith(_FAMILIES):
            asked.setdefault(message["method"], message)
    for method, message in sorted(asked.items()):
        words = f"sends {method} to a client that did not declare {method.partition('/')[0]}"
        yield rules.UNSOLICITED_REQUEST.finding(words, evidence=talk.proof(first=[message]))


def uses_client(talk: Talk) -> bool:
    """Whether the server asked for anything that a client has to declare."""
    return any(message["method"].startswith(_FAMILIES) for message in talk.asked)


def declares_everything(talk: Talk, known: Known) -> Iterator[Finding]:
    """Be a client that can do all these things: whether the server makes use of them shows now."""
    if talk.initialize(capabilities=EVERYTHING).result is None:
        raise UnansweredError
    talk.notify("notifications/initialized")
    talk.settle([talk.ask("tools/list")])
    for name in sorted(known.allowed):
        talk.request("tools/call", _call(known, name))
    # Some wait for a while until they ask.
    talk.listen()
    talk.listen()
    yield from ()


def while_called(talk: Talk, known: Known) -> Iterator[Finding]:
    """Call the tools that may be called, as a client that can do nothing."""
    if talk.initialize().result is None:
        raise UnansweredError
    talk.notify("notifications/initialized")
    for name in sorted(known.allowed):
        if not talk.request("tools/call", _call(known, name)).came:
            raise UnansweredError
    # What it asked is judged as in every other talk.
    yield from ()


def while_called_stateless(talk: Talk, known: Known) -> Iterator[Finding]:
    """The same on single requests, whose results say what the server would like to know."""
    for name in sorted(known.allowed):
        headers = {"Mcp-Name": name} if name.isascii() and name.isprintable() else None
        reply = talk.request("tools/call", {**envelope(), **_call(known, name)}, headers)
        if not reply.came:
            raise UnansweredError
        wanted = (reply.result or {}).get("inputRequests")
        for request in wanted.values() if isinstance(wanted, dict) else ():
            method = request.get("method") if isinstance(request, dict) else None
            if isinstance(method, str) and method.startswith(_FAMILIES):
                words = f"asks for {method} of a client that did not declare {method.partition('/')[0]}"
                yield rules.UNSOLICITED_REQUEST.finding(words, evidence=talk.proof(talk.last))


def _call(known: Known, name: str) -> JsonObject:
    tool = known.surface.items[Kind.TOOL].get(name, {})
    return {"name": name, "arguments": sample_arguments(tool)}


WITH_EVERYTHING: Final = Probe("a client that can do more", Pattern.CLIENT_CAPABILITIES, declares_everything)
CALLED: Final = Probe("calls", Pattern.CLIENT_CAPABILITIES, while_called)
CALLED_STATELESS: Final = Probe("calls, stateless", Pattern.CLIENT_CAPABILITIES, while_called_stateless)
