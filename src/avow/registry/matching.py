"""Drop-in replacements: servers that offer at least what a signature offers.

Every wanted capability has to be there under its name and be proven to accept at least the same inputs. What
cannot be proven does not count: a replacement that refuses some calls is none.
"""

import asyncio
from collections.abc import Mapping, Set
from concurrent.futures import Executor
from typing import Final

from avow.core.canonical import JsonObject, JsonValue
from avow.core.capability import Capability, Kind, Signature
from avow.core.schema.document import STEPS, Budget, Document, TooLargeError
from avow.core.schema.normalise import Reader
from avow.core.schema.shapes import Objects
from avow.core.schema.subset import Prover
from avow.errors import UsageError
from avow.registry.model import Page, PublishedVersion
from avow.registry.store.interface import PAGE, Store

MAX_WANTED: Final = 500
_STEPS: Final = 2_000_000
"""How much all proofs of one question may cost; what comes after counts as not proven."""

_CONSIDERED: Final = 100
_ROUNDS: Final = 10

Proven = dict[tuple[str, str], bool]


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
    store: Store,
    wanted: Signature,
    *,
    cursor: str | None = None,
    limit: int = PAGE,
    executor: Executor | None = None,
) -> Page[PublishedVersion]:
    """Newest versions of servers that offer at least this; the one that changed last first.

    Of very many candidates a part is looked at; the cursor then leads to the rest.

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
    budget, proven, found = Budget(_STEPS), Proven(), []
    loop = asyncio.get_running_loop()
    for _ in range(_ROUNDS):
        page = await store.candidates(names, cursor=cursor, limit=min(_CONSIDERED, limit))
        for version in page.items:
            there = await store.offered(version.name, capabilities)
            if await loop.run_in_executor(executor, offers_at_least, capabilities, there, budget, proven):
                found.append(version)
        cursor = page.next
        if cursor is None or len(found) >= limit:
            break
    return Page(tuple(found), cursor)


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
