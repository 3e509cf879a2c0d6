"""The signature that a server declares itself, when it announces one: fetched, bounded and proven."""

from dataclasses import dataclass
from typing import Any

from avow.core.canonical import JsonObject
from avow.core.capability import Capability, Kind, Signature
from avow.errors import DeclarationError, PeerProtocolError
from avow.system.connect.conversation import Conversation
from avow.system.connect.listing import Listings
from avow.system.connect.options import MalformedAnswerError
from avow.system.connect.wire import METHOD_NOT_FOUND, Failure, Result


@dataclass(frozen=True, slots=True)
class Declaration:
    """A signature, and the kinds that its server cannot enumerate."""

    signature: Signature
    is_complete: bool
    incomplete: tuple[str, ...]


def announced_digest(capabilities: JsonObject) -> Any:
    """The digest of the signature that the server announces, or None when it announces none."""
    extensions = capabilities.get("extensions")
    extension = extensions.get("dev.avow/signature") if isinstance(extensions, dict) else None
    for announcement in (capabilities.get("signature"), extension):
        if isinstance(announcement, dict):
            return announcement.get("digest", "")
    return None


def read_declaration(conversation: Conversation, capabilities: JsonObject) -> Declaration | None:
    """Ask for the signature, if there is one.

    Raises:
        MalformedAnswerError: it is not the one whose digest it carries, or cannot be read.
        PeerProtocolError: it is too large, or refused.
    """
    announced = announced_digest(capabilities)
    if announced is None:
        return None
    answer = conversation.request("signature")
    if isinstance(answer, Failure):
        if answer.code != METHOD_NOT_FOUND:
            raise PeerProtocolError(
                f"{conversation.server} does not hand out its signature: {conversation.said(answer.message)}"
            )
        conversation.note("the server announces a signature but does not hand it out")
        return None
    return _prove(conversation, answer, announced)


def note_undeclared(conversation: Conversation, declared: Declaration, lists: Listings) -> None:
    """Remark on what a server lists outside of its own signature."""
    for kind, listing in lists.items():
        if kind.collection in declared.incomplete:
            continue
        outside = sorted(listing.capabilities.keys() - declared.signature.of_kind(kind).keys())
        for name in outside[:5]:
            conversation.note(
                f"{kind.list_method} shows {conversation.said(name)}, which the signature does not have"
            )


def _prove(conversation: Conversation, answer: Result, announced: Any) -> Declaration:
    server, value, limits = conversation.server, answer.value, conversation.limits
    items = {kind: value.get(kind.collection, []) for kind in Kind}
    incomplete = value.get("incomplete", [])
    if not all(isinstance(part, list) for part in (*items.values(), incomplete)):
        raise MalformedAnswerError(f"{server} sent a signature that is none")
    if answer.size > limits.signature_bytes or sum(map(len, items.values())) > limits.signature_items:
        raise PeerProtocolError(
            f"the signature of {server} is larger than {limits.signature_bytes // 1024} KiB "
            f"or {limits.signature_items} items"
        )
    try:
        signature = Signature.of(Capability.read(kind, item) for kind in Kind for item in items[kind])
    except DeclarationError as exc:
        raise MalformedAnswerError(f"{server}: {exc.message}") from exc
    for claimed in (value.get("digest"), announced):
        if claimed != signature.digest:
            raise MalformedAnswerError(
                f"{server} sent a signature that does not have the digest it claims",
                hint="the server's author has to fix this; nobody can tell which of the two is meant",
            )
    names = tuple(kind.collection for kind in Kind if kind.collection in incomplete)
    for name in names:
        conversation.note(f"the server cannot enumerate its {name}")
    is_complete = value.get("complete", True) is True and not incomplete
    return Declaration(signature, is_complete, names)
