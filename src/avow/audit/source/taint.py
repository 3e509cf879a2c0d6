"""Which expressions carry something that a client said about itself in the handshake."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from avow.audit.facts import Claim
from avow.audit.source.code import (
    Call,
    Choice,
    Comparison,
    Expression,
    Item,
    Joined,
    Literal,
    Member,
    Name,
    Not,
    Other,
    chain,
    last_name,
)

_CLAIMS: Final = {
    "capabilities": Claim.CAPABILITIES,
    "clientCapabilities": Claim.CAPABILITIES,
    "client_capabilities": Claim.CAPABILITIES,
    "clientInfo": Claim.CLIENT_INFO,
    "client_info": Claim.CLIENT_INFO,
    "protocolVersion": Claim.VERSION,
    "protocol_version": Claim.VERSION,
}
# These mean the same wherever they are met; the others only in the parameters of `initialize`.
_EVERYWHERE: Final = frozenset({"clientCapabilities", "client_capabilities", "clientInfo", "client_info"})
_CALLS: Final = {"getClientCapabilities": Claim.CAPABILITIES, "getClientVersion": Claim.CLIENT_INFO}
_IMPLEMENTATION: Final = frozenset({"name", "version", "title", "ide"})
# What leads from a request to its parameters.
_INSIDE: Final = frozenset({"params", "_meta", "meta", "root", "model_dump"})
_METHODS: Final = frozenset(
    {
        "lower",
        "upper",
        "strip",
        "startswith",
        "endswith",
        "startsWith",
        "endsWith",
        "includes",
        "match",
        "get",
    }
    | {"toLowerCase", "toUpperCase", "trim", "test", "has", "model_dump", "copy"}
    | {"keys", "values", "items", "entries", "some", "every", "find", "filter", "indexOf", "split"}
)
# What is made of a claim by these says what the claim says.
_PASSING: Final = frozenset(
    {"bool", "Boolean", "str", "String", "dict", "isinstance", "hasattr", "parse", "stringify", "any", "all"}
    | {"set", "frozenset", "list", "tuple", "sorted", "len", "next", "iter", "filter", "map", "reversed"}
    | {"Map", "Set", "from", "fromEntries", "assign", "structuredClone", "deepcopy", "get"}
)


@dataclass(frozen=True, slots=True)
class Taint:
    """A claim, and the path to what was read of it; `whole` while nothing was chosen from the parameters.

    `picked` when it was compared with something or looked up, rather than only asked for.
    """

    claim: Claim
    path: tuple[str, ...] = ()
    whole: bool = False
    picked: bool = False


# The parameters of `initialize`, or the request that holds them.
REQUEST: Final = Taint(Claim.OTHER, whole=True)


def taint_of(node: Expression, known: Mapping[str, Taint]) -> Taint | None:
    """What a client said that decides the value of an expression, or None."""
    match node:
        case Name(name=name):
            return known.get(name)
        case Member():
            return _member(node, known)
        case Item(object=holder, index=index):
            return taint_of(holder, known) or _picked(taint_of(index, known))
        case Call():
            return _call(node, known)
        case Not(value=value):
            return taint_of(value, known)
        case Comparison(operator=operator, left=left, right=right):
            found = _first(known, left, right)
            return _picked(found) if found and _compares(operator, left, right, found) else found
        case Joined(left=left, right=right):
            return _first(known, left, right)
        case Choice(test=test, then=then, otherwise=otherwise):
            return _first(known, test, then, otherwise)
        case Other(parts=parts):
            return _first(known, *parts)
        case _:
            return None


def _first(known: Mapping[str, Taint], *nodes: Expression) -> Taint | None:
    found = [taint for node in nodes if (taint := taint_of(node, known)) is not None]
    # `clientCaps && clientCaps.experimental`: the longest path says most.
    longest = max(found, key=lambda taint: len(taint.path), default=None)
    return _picked(longest) if any(taint.picked for taint in found) else longest


def _picked(taint: Taint | None) -> Taint | None:
    return replace(taint, picked=True) if taint is not None else None


def _compares(operator: str, left: Expression, right: Expression, taint: Taint) -> bool:
    """Whether something is held against a value; nothing, a kind and a key are none."""
    if operator == "in" and isinstance(left, Literal):
        # `"name" in clientInfo` asks for a key, `"claude" in clientInfo.name` for a name.
        return bool(taint.path)
    if operator in ("in", "not in"):
        return True
    # With another variable it is only asked whether something has changed.
    return any(_is_fixed(side) for side in (left, right))


def _is_fixed(side: Expression) -> bool:
    match side:
        case Literal(value=value):
            return bool(value)
        case Name(name=name) | Member(name=name):
            return name.isupper()
        case _:
            return False


def _member(node: Member, known: Mapping[str, Taint]) -> Taint | None:
    root, members = chain(node)
    start = taint_of(root, known) if not isinstance(root, Member) else None
    if start is None and isinstance(root, Name) and members:
        # A field that a claim was put into is known by its own name.
        start = known.get(f"{root.name}.{members[0]}")
        if start is not None:
            members = members[1:]
    if start is None:
        return _anywhere(members)
    for place, name in enumerate(members):
        word = name.rpartition("/")[2]
        if start.whole and word in _CLAIMS:
            return Taint(_CLAIMS[word], _path(members[place + 1 :]))
        if start.whole and word in _INSIDE:
            continue
        if start.whole:
            return Taint(Claim.OTHER, _path(members[place:]))
    return start if start.whole else replace(start, path=(*start.path, *_path(members)))


def _anywhere(members: tuple[str, ...]) -> Taint | None:
    for place, name in enumerate(members):
        word = name.rpartition("/")[2]
        rest = members[place + 1 :]
        if (
            word in _EVERYWHERE
            and _CLAIMS[word] is Claim.CLIENT_INFO
            and rest
            and rest[0] not in _IMPLEMENTATION
        ):
            # What an authorization server knows of a client has the same name.
            return None
        if word in _EVERYWHERE:
            return Taint(_CLAIMS[word], _path(members[place + 1 :]))
        if word == "client_params" and rest and rest[0] in _CLAIMS:
            return Taint(_CLAIMS[rest[0]], _path(rest[1:]))
    return None


def _call(node: Call, known: Mapping[str, Taint]) -> Taint | None:
    name = last_name(node.function)
    if name in _CALLS:
        return Taint(_CALLS[name])
    if isinstance(node.function, Member) and name in _METHODS:
        found = _first(known, node.function.object, *node.arguments)
        return _picked(found) if node.arguments else found
    if name in _PASSING:
        return _first(known, *node.arguments)
    return known.get(returned_by(node))


def returned_by(node: Call) -> str:
    """Under what it is known what a call of a function in the tree gives back; no variable is called so."""
    return f"{id(node)}()"


def _path(members: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in members if name not in _METHODS)
