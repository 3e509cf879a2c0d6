"""The signature that a server declares itself, if it does: fetched, proven, and held against its lists."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from avow.core.canonical import JsonObject, digest
from avow.core.capability import Capability, Kind, Signature
from avow.errors import DeclarationError, PeerProtocolError
from avow.system.connect.conversation import Conversation
from avow.system.connect.listing import Listings
from avow.system.connect.options import MalformedAnswerError
from avow.system.connect.wire import METHOD_NOT_FOUND, Failure, Result

_VARIANTS: Final = "resolvedVariants"
_MOST_NOTES: Final = 5


@dataclass(frozen=True, slots=True)
class Declaration:
    """A signature, and the kinds that its server cannot enumerate."""

    signature: Signature
    is_complete: bool
    open_kinds: frozenset[Kind]


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


def listed_otherwise(declared: Declaration, lists: Listings) -> list[Capability]:
    """What a server lists outside of its own signature, or otherwise than the signature has it."""
    return [
        capability
        for kind, listing in lists.items()
        for capability in listing.capabilities.values()
        if not _is_declared(declared, capability)
    ]


def as_listed(declared: Declaration, otherwise: Iterable[Capability]) -> Signature:
    """The signature as a client meets it: with what the server lists, where that is not what it declares."""
    known = {(capability.kind, capability.name): capability for capability in declared.signature}
    shown = {(capability.kind, capability.name): capability for capability in otherwise}
    return Signature.of((known | shown).values())


def note_otherwise(
    conversation: Conversation, declared: Declaration, otherwise: Iterable[Capability]
) -> None:
    """Remark on what a server lists against its own signature."""
    for capability in islice(otherwise, _MOST_NOTES):
        kind, name = capability.kind, conversation.said(capability.name)
        known = capability.name in declared.signature.of_kind(kind)
        what = "otherwise than the signature has it" if known else "which the signature does not have"
        conversation.note(f"{kind.list_method} shows {name}, {what}")


def _is_declared(declared: Declaration, listed: Capability) -> bool:
    known = declared.signature.of_kind(listed.kind).get(listed.name)
    if known is None:
        return listed.kind in declared.open_kinds
    if known.digest == listed.digest:
        return True
    # Variants are for whoever reads the signature; a list may leave them out.
    if _VARIANTS not in known.definition or _VARIANTS in listed.definition:
        return False
    return (
        digest({name: value for name, value in known.definition.items() if name != _VARIANTS})
        == listed.digest
    )


def _prove(conversation: Conversation, answer: Result, announced: Any) -> Declaration:
    # Few servers declare anything, and the gate takes a while to import.
    from avow.protocol.gate.signature import read_declaration as read

    server, value, limits = conversation.server, answer.value, conversation.limits
    items = [value.get(kind.collection, []) for kind in Kind]
    count = sum(len(part) for part in items if isinstance(part, list))
    if answer.size > limits.signature_bytes or count > limits.signature_items:
        raise PeerProtocolError(
            f"the signature of {server} is larger than {limits.signature_bytes // 1024} KiB "
            f"or {limits.signature_items} items"
        )
    try:
        declared = read(value, limits.signature_items)
    except DeclarationError as exc:
        raise MalformedAnswerError(f"{server} sent a signature that is none: {exc.message}") from exc
    if not value.get("digest") == announced == declared.signature.digest:
        raise MalformedAnswerError(
            f"{server} sent a signature that does not have the digest it claims",
            hint="the server's author has to fix this; nobody can tell which of the two is meant",
        )
    for kind in Kind:
        if kind in declared.open_kinds:
            conversation.note(f"the server cannot enumerate its {kind.collection}")
    return Declaration(declared.signature, value.get("complete", True) is True, declared.open_kinds)
