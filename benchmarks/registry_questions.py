"""Every kind of page that people and programs ask a registry for, and how long the answers take."""

import random
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Any

from registry_material import ARGUMENTS, NAMESPACE, NOUNS, TYPES, VERBS, WORDS

from avow.core.capability import Kind
from avow.core.publication import ServerName
from avow.core.risk import Level
from avow.core.severity import Severity
from avow.registry.model import Search
from avow.registry.store.interface import Store

QUESTIONS = 60


def questions(chance: random.Random) -> Iterator[tuple[str, Callable[[Store], Awaitable[Any]]]]:
    """Every kind of page that people and programs ask for."""

    def name() -> ServerName:
        return ServerName(NAMESPACE, f"server-{chance.randrange(500)}")

    searches = {
        "tool": lambda: Search(tool=f"{chance.choice(VERBS)}_{chance.choice(NOUNS)}_{chance.randrange(500)}"),
        "argument": lambda: Search(argument=chance.choice(ARGUMENTS), argument_type=chance.choice(TYPES)),
        "argument, high risk": lambda: Search(argument="path", argument_type="string", risk=Level.HIGH),
        "annotation": lambda: Search(annotation=("readOnlyHint", "true")),
        "annotation, no secret": lambda: Search(annotation=("readOnlyHint", "true"), needs_no_secret=True),
        "risk": lambda: Search(risk=chance.choice(list(Level))),
        "kind, risk": lambda: Search(kind=Kind.TOOL, risk=Level.LOW),
        "kind nobody has": lambda: Search(kind=Kind.PROMPT),
        "rare word": lambda: Search(text=chance.choice(WORDS)),
        "common word": lambda: Search(text=chance.choice(VERBS)),
        "two words": lambda: Search(text=f"{chance.choice(VERBS)} {chance.choice(NOUNS)}"),
        "five words": lambda: Search(text=f"the and more {chance.choice(VERBS)} {chance.choice(WORDS)}"),
        "word, argument, risk": lambda: Search(
            text=chance.choice(NOUNS), argument="query", argument_type="string", risk=Level.LOW
        ),
    }
    for label, search in searches.items():
        yield f"search: {label}", partial(_search, search)
    yield "facets: risk", lambda store: store.facets(Search(risk=Level.HIGH))
    yield "facets: word", lambda store: store.facets(Search(text=chance.choice(VERBS)))
    yield "servers", lambda store: store.servers()
    yield "servers: word", lambda store: store.servers(chance.choice(NOUNS))
    yield "servers: name", lambda store: store.servers(f"server {chance.randrange(20_000)}")
    yield "server", lambda store: store.server(name())
    yield "history", lambda store: store.versions(name())
    yield "snapshot", lambda store: store.payload(name(), "1.1.0")
    yield "recent", lambda store: store.recent()
    yield "recent, moderate", lambda store: store.recent(level=Severity.MODERATE)
    yield "undecided", lambda store: store.undecided("production")
    yield "holders", _holders(name)
    yield "candidates", lambda store: store.candidates([(Kind.TOOL, f"read_file_{chance.randrange(500)}")])
    yield "deep page", _deep


def _holders(name: Callable[[], ServerName]) -> Callable[[Store], Awaitable[Any]]:
    async def ask(store: Store) -> Any:
        version = await store.version(name())
        assert version is not None
        return await store.holders(version.digest)

    return ask


async def _search(search: Callable[[], Search], store: Store) -> Any:
    return await store.search(search())


async def _deep(store: Store) -> Any:
    page = await store.search(Search(argument="path", argument_type="string"))
    return await store.search(Search(argument="path", argument_type="string"), cursor=page.next)


async def answers(store: Store) -> float:
    """The slowest 95th percentile of all kinds of questions, one caller."""
    chance, worst, everything = random.Random(2), 0.0, []
    for label, ask in questions(chance):
        single = []
        for _ in range(QUESTIONS):
            began = time.perf_counter()
            await ask(store)
            single.append((time.perf_counter() - began) * 1_000)
        p95 = sorted(single)[int(len(single) * 0.95)]
        worst = max(worst, p95)
        everything += single
        print(f"  {label:24} median {statistics.median(single):6.2f} ms, p95 {p95:6.2f} ms", flush=True)
    print(f"  all of them              p95 {sorted(everything)[int(len(everything) * 0.95)]:6.2f} ms")
    return worst
