"""Finding out which era a server lives in, and what it says about itself there."""

import time
from dataclasses import dataclass
from typing import Any, Final

from avow.core.canonical import JsonObject, JsonValue
from avow.core.snapshot import Era
from avow.errors import PeerProtocolError, ServerLaunchError
from avow.system.connect.channel import UnfitRequestError
from avow.system.connect.conversation import CLIENT_CAPABILITIES, Conversation
from avow.system.connect.options import MalformedAnswerError
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

# Some servers never answer a request they do not know. Whoever reads its input in order answers
# `server/discover` before it sees the `initialize` behind it, so there is no need to wait for long.
_SILENCE: Final = 0.15
_SILENCE_OVER_HTTP: Final = 5.0
_AFTERTHOUGHT: Final = 0.05


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


def negotiate(conversation: Conversation, *, probe: bool = True) -> Negotiated:
    """Open the session: `server/discover` first, `initialize` when nothing modern comes back.

    Raises:
        PeerProtocolError: there is no version that both sides speak.
        ServerLaunchError: the server refuses the session.
    """
    if not probe:
        return _initialize(conversation, LEGACY_VERSIONS[0])
    discovery = _ask_discover(conversation, MODERN_VERSIONS[0])
    silence = _SILENCE if conversation.channel.is_ordered else _SILENCE_OVER_HTTP
    answer = _discovery(conversation, discovery, time.monotonic() + silence)
    if answer is None:
        return _race(conversation, discovery)
    return _judge(conversation, answer) or _initialize(conversation, _offer(answer))


def discover(conversation: Conversation, version: str) -> Negotiated:
    """Ask a modern server again, under whatever name the conversation now uses."""
    answer = conversation.answer(_ask_discover(conversation, version))
    found = _judge(conversation, answer)
    if found is None:
        raise PeerProtocolError(f"{conversation.server} answers server/discover only to some clients")
    return found


def _ask_discover(conversation: Conversation, version: str) -> int:
    conversation.use_envelope(version)
    return conversation.ask("server/discover")


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


def _race(conversation: Conversation, discovery: int) -> Negotiated:
    """The probe met silence: offer the handshake as well, and take what comes."""
    conversation.use_envelope(None)
    handshake = _ask_initialize(conversation, LEGACY_VERSIONS[0])
    while True:
        late = _discovery(conversation, discovery, time.monotonic())
        if late is not None:
            return _judge(conversation, late) or _finish(conversation, conversation.answer(handshake))
        answer = conversation.answer_by(handshake, time.monotonic())
        match answer:
            case Failure(code=code) if code == UNSUPPORTED_VERSION:
                # Only a server that took the probe seriously says that; its answer is on the way.
                late = conversation.answer(discovery)
                return _judge(conversation, late) or _finish(conversation, answer)
            case Result() | Failure():
                late = _discovery(conversation, discovery, time.monotonic() + _AFTERTHOUGHT)
                modern = None if late is None else _judge(conversation, late)
                return modern or _finish(conversation, answer)
            case None:
                if not conversation.listen_once(conversation.deadline):
                    conversation.answer(handshake)


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
        raise ServerLaunchError(
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
    schema = _configuration_schema(value, capabilities)
    return Negotiated(era, version, versions, server, capabilities, instructions, schema)


def _configuration_schema(value: JsonObject, capabilities: JsonObject) -> JsonValue:
    """The schema from the first of its three places."""
    extensions, experimental = capabilities.get("extensions"), capabilities.get("experimental")
    for holder, member in (
        (value, "configurationSchema"),
        (extensions, "dev.avow/configuration"),
        (experimental, "configurationSchema"),
    ):
        if isinstance(holder, dict) and holder.get(member) is not None:
            return holder[member]
    return None
