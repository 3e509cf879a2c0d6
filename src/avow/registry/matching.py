"""Drop-in replacements: servers that offer at least what a signature offers.

Every wanted capability has to be there under its name and be proven to accept at least the same inputs. What
cannot be proven does not count: a replacement that refuses some calls is none.
"""

import asyncio
from collections.abc import Mapping, Set
from itertools import chain
from typing import Final, TypeAlias

from avow.core.canonical import Digest, JsonObject, JsonValue
from avow.core.capability import Capability, Kind, Signature
from avow.core.schema.document import STEPS, Budget, Document, TooLargeError
from avow.core.schema.normalise import Reader
from avow.core.schema.shapes import Objects
from avow.core.schema.subset import Prover
from avow.errors import UsageError
from avow.registry.computing import SMALL, compute_large
from avow.registry.model import Page, PublishedVersion
from avow.registry.service import Service
from avow.registry.store.interface import PAGE
from avow.registry.store.packing import read_stored
from avow.registry.store.rows import cursor_of

MAX_WANTED: Final = 500
_STEPS: Final = 2_000_000
"""How much all proofs of one question may cost; what comes after counts as not proven."""

_LITTLE: Final = STEPS
_INFLATED: Final = 4
_CONSIDERED: Final = 100
_ROUNDS: Final = 10

Proven = dict[tuple[str, str], bool]
Packed: TypeAlias = Mapping[tuple[Kind, Digest], bytes]
"""What a server offers, with definitions as they are stored where they are not those that are wanted."""


class _Replacing(Prover):
    """Proves that whoever knows only one schema is understood by another.

    For drift, a member that the inner schema no longer declares has gone and only narrows. Here somebody who
    never heard of a member calls one who asks for it.
    """

    def _gone(
        self, one: Objects, other: Objects, known: Set[str], depth: int, *, is_top: bool
    ) -> frozenset[str]:
        return super()._gone(one, other, known, depth, is_top=is_top) - other.required


async def match(
    service: Service, wanted: Signature, size: int, *, cursor: str | None = None, limit: int = PAGE
) -> Page[PublishedVersion]:
    """Newest versions of servers that offer at least this; the one that changed last first.

    `size` is how many bytes the signature was read from. Of very many candidates a part is looked at; the
    cursor then leads to the rest.

    Raises:
        UsageError: nothing is wanted, or too much.
    """
    capabilities = list(wanted)
    if not 0 < len(capabilities) <= MAX_WANTED:
        raise UsageError(
            f"{len(capabilities)} capabilities are wanted; 1 to {MAX_WANTED} can be looked for",
            hint="send the signature of the server that you want to replace",
        )
    names = [(one.kind, one.name) for one in capabilities]
    steps, found = _STEPS, list[PublishedVersion]()
    for _ in range(_ROUNDS):
        page = await service.store.candidates(names, cursor=cursor, limit=_CONSIDERED)
        offered = await service.store.offered([each.id for each in page.items], capabilities)
        batch = [offered[each.id] for each in page.items]
        answers, steps = await _proved(service, size, capabilities, batch, steps)
        for version, is_proven in zip(page.items, answers, strict=True):
            if is_proven and len(found) == limit:
                return Page(tuple(found), cursor_of(found[-1].id))
            if is_proven:
                found.append(version)
        cursor = page.next
        if cursor is None or len(found) == limit:
            break
    return Page(tuple(found), cursor)


async def _proved(
    service: Service, size: int, wanted: list[Capability], batch: list[Packed], steps: int
) -> tuple[list[bool], int]:
    """Which of these offer at least this, and how many steps are left: by a thread what costs little."""
    same = {(one.kind, one.digest) for one in wanted}
    others = [each for each in batch if not same <= each.keys()]
    if len(others) < len(batch):
        # Who offers the very same needs no proof.
        answers, left = await _proved(service, size, wanted, others, steps) if others else ([], steps)
        proven = iter(answers)
        return [same <= each.keys() or next(proven) for each in batch], left
    size += _INFLATED * sum(len(data) for data in {*chain.from_iterable(each.values() for each in batch)})
    if size <= SMALL:
        little = min(steps, _LITTLE)
        answers, left = await asyncio.to_thread(prove, wanted, batch, little)
        if left > 0 or little == steps:
            return answers, steps - little + left
    return await compute_large(service, prove, wanted, batch, steps)


def prove(wanted: list[Capability], batch: list[Packed], steps: int) -> tuple[list[bool], int]:
    """Which of these offer at least this, and how many steps are left."""
    known = {(one.kind, one.digest): one for one in wanted}
    budget, proven, answers = Budget(steps), Proven(), []
    for packed in batch:
        there = {}
        for key, definition in packed.items():
            one = known.get(key)
            if one is None:
                one = known[key] = read_stored(*key, definition)
            there[one.kind, one.name] = one
        answers.append(offers_at_least(wanted, there, budget, proven))
    return answers, max(budget.left, 0)


def offers_at_least(
    wanted: list[Capability], there: Mapping[tuple[Kind, str], Capability], budget: Budget, proven: Proven
) -> bool:
    """Whether a server with these capabilities, by kind and name, offers everything that is wanted."""
    for one in wanted:
        other = there.get((one.kind, one.name))
        if other is None:
            return False
        pair = (f"{one.kind} {one.digest}", other.digest)
        if pair not in proven:
            proven[pair] = one.digest == other.digest or _accepts(one, other, budget)
        if not proven[pair]:
            return False
    return True


def _accepts(wanted: Capability, other: Capability, budget: Budget) -> bool:
    if wanted.kind is Kind.TOOL:
        return _takes(wanted.definition.get("inputSchema"), other.definition.get("inputSchema"), budget)
    if wanted.kind is Kind.PROMPT:
        return _prompts(_arguments(wanted.definition), _arguments(other.definition))
    # A resource or a template is its address, and that is the same; who reads it relies on its type.
    return wanted.definition.get("mimeType") in (None, other.definition.get("mimeType"))


def _takes(wanted: JsonValue, other: JsonValue, whole: Budget) -> bool:
    """Whether every input that the wanted schema accepts is proven to be accepted by the other."""
    own = Budget(min(STEPS, max(whole.left, 0)))
    granted = own.left
    try:
        inner, outer = Document(wanted, own), Document(other, own)
        prover = _Replacing(Reader(inner), Reader(outer))
        return prover.proves_at_the_top((inner.root,), (outer.root,))
    except (TooLargeError, RecursionError):
        return False
    finally:
        whole.left -= granted - max(own.left, 0)


def _arguments(definition: JsonObject) -> dict[str, bool]:
    """The arguments of a prompt, and whether each is required."""
    listed = definition.get("arguments")
    entries = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return {str(each.get("name")): each.get("required") is True for each in entries}


def _prompts(wanted: Mapping[str, bool], other: Mapping[str, bool]) -> bool:
    return wanted.keys() <= other.keys() and all(
        wanted.get(name, False) for name, required in other.items() if required
    )
