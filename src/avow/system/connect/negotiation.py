"""Finding out which era a server lives in, and what it says about itself there."""

import time
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

from avow.core.canonical import JsonObject, JsonValue
from avow.core.snapshot import Era
from avow.errors import PeerProtocolError
from avow.system.connect.channel import UnfitRequestError
from avow.system.connect.conversation import CLIENT_CAPABILITIES, Conversation
from avow.system.connect.options import HandshakeRefusedError, MalformedAnswerError
from avow.system.connect.wire import (
    LEGACY_VERSIONS,
    MODERN_ERRORS,
    MODERN_VERSIONS,
    SERVER_KEY,
    UNSUPPORTED_VERSION,
    Answer,
    Failure,
    Result,
)

# How long a server that has read the probe, or has answered what came behind it, may still think.
_SILENCE: Final = 0.3
_SILENCE_OVER_HTTP: Final = 5.0
_AFTERTHOUGHT: Final = 0.05
_LOOK_EVERY: Final = 0.02
# A server that is up and has answered everything so far; longer than this, and it is not going to.
_SILENCE_OF_THE_KNOWN: Final = 0.5


class Opening(Enum):
    """How to begin: see what the server is, or do what it is known to need.

    `AS_MODERN` is what a client does that prefers the modern era: it falls back, and takes no other measures.
    """

    PROBE = auto()
    AS_MODERN = auto()
    HANDSHAKE = auto()
    DISCOVER = auto()


class MixedErasError(PeerProtocolError):
    """The server answered the probe and, later, the handshake; only a fresh connection is of one era."""


@dataclass(frozen=True, slots=True)
class Negotiated:
    """What both sides agreed on, and the server's account of itself."""

    era: Era
    version: str
    versions: tuple[str, ...]
    server: JsonObject
    capabilities: JsonObject
    instructions: str | None
    configuration_schema: JsonValue


def negotiate(conversation: Conversation, opening: Opening = Opening.PROBE) -> Negotiated:
    """Open the session: `server/discover` first, `initialize` when nothing modern comes back.

    Raises:
        PeerProtocolError: there is no version that both sides speak.
        MixedErasError: the server was slow, and has to be asked again on a new connection.
        HandshakeRefusedError: the server opens no session.
    """
    match opening:
        case Opening.HANDSHAKE:
            return _initialize(conversation, LEGACY_VERSIONS[0])
        case Opening.DISCOVER:
            return discovered(conversation, ask_discover(conversation, MODERN_VERSIONS[0]))
        case Opening.PROBE | Opening.AS_MODERN:
            discovery = ask_discover(conversation, MODERN_VERSIONS[0])
            answer = _wait_for_discovery(conversation, discovery, has_ping=opening is Opening.PROBE)
            if answer is None:
                return _offer_both(conversation, discovery)
            return _judge(conversation, answer) or _initialize(conversation, _offer(answer))


def initialize_again(conversation: Conversation, version: str) -> Negotiated:
    """Open another session on a connection that has one, under the name that the conversation has now.

    Raises:
        PeerProtocolError: the server does not answer a second handshake, or refuses it.
        UnavailableError: it leaves instead.
    """
    asked = _ask_initialize(conversation, version)
    answer = conversation.answer_by(asked, time.monotonic() + _SILENCE_OF_THE_KNOWN)
    if not isinstance(answer, Result):
        raise PeerProtocolError(f"{conversation.server} opens one session only")
    return _finish(conversation, answer)


def ask_discover(conversation: Conversation, version: str) -> int:
    """Ask a server what it is, in the modern way."""
    conversation.use_envelope(version)
    return conversation.ask("server/discover")


def discovered(conversation: Conversation, asked: int) -> Negotiated:
    """The answer of a server that is known to be modern."""
    found = _judge(conversation, conversation.answer(asked))
    if found is None:
        raise PeerProtocolError(f"{conversation.server} answers server/discover only to some clients")
    return found


def _discovery(conversation: Conversation, discovery: int, until: float) -> Answer | None:
    """The answer to the probe; that the transport of an older server refuses it is one, too."""
    try:
        return conversation.answer_by(discovery, until)
    except UnfitRequestError as exc:
        return Failure(0, exc.message)


def _judge(conversation: Conversation, answer: Answer) -> Negotiated | None:
    """What a modern answer says, or None when it shows no modern server that we can talk to."""
    match answer:
        case Result(value={"supportedVersions": list(versions), "capabilities": dict()} as value):
            named = tuple(version for version in versions if isinstance(version, str))
            shared = [version for version in MODERN_VERSIONS if version in named]
            if not shared:
                return None
            conversation.use_envelope(shared[0])
            meta = value.get("_meta")
            stamped = meta.get(SERVER_KEY) if isinstance(meta, dict) else None
            server = stamped if stamped is not None else value.get("serverInfo")
            return _read(conversation, value, Era.MODERN, shared[0], named, server)
        case Failure(code=code) if code in MODERN_ERRORS and not _shared(answer, LEGACY_VERSIONS):
            raise PeerProtocolError(
                f"{conversation.server} speaks a version of the protocol that Avow does not: "
                f"{conversation.said(answer.message)} ({code})"
            )
        case _:
            return None


def _wait_for_discovery(conversation: Conversation, discovery: int, *, has_ping: bool) -> Answer | None:
    """The answer to the probe, or None when the server is up and seems to have no answer.

    Some servers never answer a request that they do not know. Those that answer the `ping` behind
    it, or have long read it, are not going to; one that has not read it is still starting.
    """
    if not conversation.channel.is_ordered:
        return _discovery(conversation, discovery, time.monotonic() + _SILENCE_OVER_HTTP)
    ping = conversation.ask("ping") if has_ping else None
    read_at: float | None = None
    while time.monotonic() < conversation.deadline:
        answer = _discovery(conversation, discovery, time.monotonic() + _LOOK_EVERY)
        if answer is not None:
            return answer
        if ping is not None and conversation.has_answer(ping):
            return _discovery(conversation, discovery, time.monotonic() + _AFTERTHOUGHT)
        if read_at is None and conversation.channel.is_read():
            read_at = time.monotonic()
        if read_at is not None and time.monotonic() > read_at + _SILENCE:
            return None
    return conversation.answer(discovery)


def _offer_both(conversation: Conversation, discovery: int) -> Negotiated:
    """The probe met silence: offer the handshake as well, and take what comes."""
    conversation.use_envelope(None)
    answer = conversation.answer(_ask_initialize(conversation, LEGACY_VERSIONS[0]))
    refused = isinstance(answer, Failure) and answer.code == UNSUPPORTED_VERSION
    # Only a server that took the probe seriously refuses in this way; its answer is on the way.
    until = conversation.deadline if refused else time.monotonic() + _AFTERTHOUGHT
    late = _discovery(conversation, discovery, until)
    modern = None if late is None else _judge(conversation, late)
    if modern is None:
        return _finish(conversation, answer)
    if conversation.channel.is_ordered and isinstance(answer, Result):
        raise MixedErasError(f"{conversation.server} speaks two versions of the protocol at once")
    return modern


def _initialize(conversation: Conversation, version: str) -> Negotiated:
    conversation.use_envelope(None)
    return _finish(conversation, conversation.answer(_ask_initialize(conversation, version)), offered=version)


def _ask_initialize(conversation: Conversation, version: str) -> int:
    offer = {
        "protocolVersion": version,
        "capabilities": CLIENT_CAPABILITIES,
        "clientInfo": conversation.client,
    }
    return conversation.ask("initialize", offer)


def _finish(
    conversation: Conversation, answer: Answer, offered: str = LEGACY_VERSIONS[0], *, retry: bool = True
) -> Negotiated:
    """Accept the server's side of the handshake."""
    if isinstance(answer, Failure):
        other = _shared(answer, LEGACY_VERSIONS)
        if retry and other and other[0] != offered:
            again = conversation.answer(_ask_initialize(conversation, other[0]))
            return _finish(conversation, again, other[0], retry=False)
        raise HandshakeRefusedError(
            f"{conversation.server} refuses to open a session: "
            f"{conversation.said(answer.message)} ({answer.code})"
        )
    conversation.use_envelope(None)
    version = answer.value.get("protocolVersion")
    if not isinstance(version, str):
        raise MalformedAnswerError(f"{conversation.server} does not say which version it speaks")
    if version not in LEGACY_VERSIONS:
        conversation.note(f"the server chose a protocol version that Avow does not know: {version[:40]!r}")
    conversation.channel.agree(version)
    conversation.notify("notifications/initialized")
    return _read(conversation, answer.value, Era.LEGACY, version, (), answer.value.get("serverInfo"))


def _offer(answer: Answer) -> str:
    """The version to offer in a handshake: one that the server named, else our newest."""
    shared = _shared(answer, LEGACY_VERSIONS) if isinstance(answer, Failure) else []
    return shared[0] if shared else LEGACY_VERSIONS[0]


def _shared(failure: Failure, ours: tuple[str, ...]) -> list[str]:
    supported = failure.data.get("supported") if isinstance(failure.data, dict) else None
    return [version for version in ours if isinstance(supported, list) and version in supported]


def _read(
    conversation: Conversation,
    value: JsonObject,
    era: Era,
    version: str,
    versions: tuple[str, ...],
    server: Any,
) -> Negotiated:
    """Take the members that both eras share."""
    capabilities = value.get("capabilities", {})
    instructions = value.get("instructions")
    if server is None:
        conversation.note("the server does not say its name")
        server = {}
    if not isinstance(server, dict) or not isinstance(capabilities, dict):
        raise MalformedAnswerError(f"{conversation.server} describes itself in a way that cannot be read")
    if instructions is not None and not isinstance(instructions, str):
        raise MalformedAnswerError(f"the instructions of {conversation.server} are not text")
    # Late: few servers have one, and what else is in that package takes a while to load.
    from avow.core.configuration.wire import find_declaration

    return Negotiated(era, version, versions, server, capabilities, instructions, find_declaration(value))
