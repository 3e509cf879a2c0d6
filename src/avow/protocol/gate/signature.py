"""The `signature` method: reading what a server declares, and answering from the contract."""

from typing import Final

import msgspec

from avow.core.canonical import Digest, JsonObject, JsonValue
from avow.core.capability import Capability, Kind, Signature
from avow.core.contract import Contract
from avow.core.snapshot import Era
from avow.errors import DeclarationError, MalformedInputError
from avow.protocol.messages import refuse_variants

METHOD: Final = "signature"
EXTENSION: Final = "dev.avow/signature"

_COLLECTIONS: Final = frozenset(kind.collection for kind in Kind)
_DECIDED_ON: Final = _COLLECTIONS | {"digest", "unchanged", "complete", "incomplete"}


class Declaration(msgspec.Struct, frozen=True):
    """A signature as a server declares it, and the kinds that it says nobody can enumerate."""

    signature: Signature
    open_kinds: frozenset[Kind]


def is_advertised(capabilities: JsonObject | None) -> bool:
    """Whether a server says that it has a signature."""
    if capabilities is None:
        return False
    extensions = capabilities.get("extensions")
    return isinstance(capabilities.get("signature"), dict) or (
        isinstance(extensions, dict) and isinstance(extensions.get(EXTENSION), dict)
    )


def read_declaration(result: JsonValue, max_items: int) -> Declaration:
    """Read the result of a `signature` request.

    Raises:
        MalformedInputError: it is not a signature, too large, its digest does not fit, or two readers
            could understand it differently.
    """
    refuse_variants(result, _DECIDED_ON)
    capabilities: list[Capability] = []
    for kind in Kind:
        items = result.get(kind.collection, [])
        if not isinstance(items, list):
            raise DeclarationError(f"{kind.collection} is not a list")
        if len(capabilities) + len(items) > max_items:
            raise DeclarationError(f"the signature has more than {max_items} capabilities")
        capabilities.extend(Capability.read(kind, item) for item in items)
    signature = Signature.of(capabilities)
    if "digest" in result and result["digest"] != signature.digest:
        raise DeclarationError("the digest does not fit the capabilities beside it")
    return Declaration(signature, _open_kinds(result))


def advertised_digest(capabilities: JsonObject | None) -> str | None:
    """The digest that a server advertises beside its signature; `None` where it names none, or two."""
    holder = capabilities or {}
    extensions = holder.get("extensions")
    extended = extensions.get(EXTENSION) if isinstance(extensions, dict) else None
    named = {
        own["digest"]
        for own in (holder.get("signature"), extended)
        if isinstance(own, dict) and isinstance(own.get("digest"), str)
    }
    return named.pop() if len(named) == 1 else None


def read_answer(result: JsonValue, max_items: int, known: Declaration | None) -> Declaration:
    """Read the result of a `signature` request that named the digest of what is `known`, if anything is.

    Raises:
        MalformedInputError: as `read_declaration`, or it says that something else is unchanged.
    """
    if known is None or result.get("unchanged") is not True:
        return read_declaration(result, max_items)
    refuse_variants(result, _DECIDED_ON)
    if result.keys() & _COLLECTIONS or result.get("digest") != known.signature.digest:
        raise DeclarationError("the server says that nothing has changed since something nobody asked about")
    return known


def signature_result(contract: Contract, known_digest: JsonValue, era: Era | None) -> JsonObject:
    """The contract as the answer to a `signature` request."""
    result: JsonObject = {}
    if known_digest == contract.digest:
        result |= {"digest": contract.digest, "unchanged": True}
    else:
        for kind in Kind:
            result[kind.collection] = [item.definition for item in contract.of_kind(kind).values()]
        result |= {"digest": contract.digest, "complete": not contract.open}
        if contract.open:
            result["incomplete"] = sorted(kind.collection for kind in contract.open)
    if era is Era.MODERN:
        result["resultType"] = "complete"
    return result


def is_contract(result: JsonObject, contract: Contract, known_digest: str, max_items: int) -> bool:
    """Whether a server's own answer declares exactly what the contract holds.

    That nothing has changed says so only to a client that named what it knows.
    """
    if result.get("unchanged") is True and not result.keys() & _COLLECTIONS:
        return bool(result.get("digest") == contract.digest == known_digest)
    try:
        declared = read_declaration(result, max_items)
    except MalformedInputError:
        return False
    return declared.signature.digest == contract.digest and declared.open_kinds == contract.open


def advertisement(contract: Contract | None) -> dict[str, Digest]:
    """The value of `capabilities.signature`; without a digest while the contract is still to come."""
    return {} if contract is None else {"digest": contract.digest}


def _open_kinds(result: JsonObject) -> frozenset[Kind]:
    if result.get("complete", True) is True:
        return frozenset()
    named = result.get("incomplete")
    if not isinstance(named, list):
        raise DeclarationError("the signature is incomplete and does not say in what")
    return frozenset(kind for kind in Kind if kind.collection in named)
