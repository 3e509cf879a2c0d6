"""What a server author drops into a test suite: what a client says of itself changes nothing.

    def test_claims() -> None:
        assert_claims_change_nothing(mcp, contexts=[Caller(), Caller(scopes=("admin",))])

The server runs in this process and is spoken to in both eras, in raw JSON-RPC: first by a client that claims
nothing, then by one that claims every feature, and by clients of other names and versions. It need not be
guarded.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import anyio

from avow.core.canonical import JsonObject, canonical
from avow.core.capability import Kind
from avow.core.printable import printable
from avow.core.snapshot import Era
from avow.server.guard.granting import Granting
from avow.server.inprocess import Caller
from avow.server.looks import Looking, looking
from avow.server.seam import Seam, lowlevel_of

__all__ = ["Caller", "assert_claims_change_nothing", "check_claims", "find_claim_problems"]

FLAGS: Final = (
    "admin",
    "advanced",
    "advancedMode",
    "all",
    "beta",
    "debug",
    "developer",
    "experimental",
    "internal",
    "premium",
    "unsafe",
)
"""Names by which people call what only some clients should get."""
NAMES: Final = ("admin", "claude-ai", "cursor-vscode", "mcp-inspector")
ERAS: Final = (Era.LEGACY, Era.MODERN)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one session showed."""

    declared: JsonObject
    listed: dict[tuple[Kind, str], str]


def assert_claims_change_nothing(server: Any, **options: Any) -> None:
    """Assert it from an ordinary test; the options are those of `find_claim_problems`.

    Raises:
        AssertionError: it says which claim changes what.
    """
    _refuse(anyio.run(partial(find_claim_problems, server, **options)))


async def check_claims(server: Any, **options: Any) -> None:
    """Assert it from an `async` test; the options are those of `find_claim_problems`.

    Raises:
        AssertionError: it says which claim changes what.
    """
    _refuse(await find_claim_problems(server, **options))


async def find_claim_problems(
    server: Any,
    *,
    contexts: Iterable[Caller] = (),
    flags: Iterable[str] = (),
    names: Iterable[str] = NAMES,
    eras: Iterable[Era] = ERAS,
) -> tuple[str, ...]:
    """Compare what each caller of `contexts` is shown with and without claims, and say what differs.

    `flags` are further experimental flags to claim, beside common ones and those of the server's features;
    `names` are what clients call themselves. Without contexts an anonymous client looks.
    """
    flags = (*FLAGS, *flags, *_own_flags(server))
    found: list[str] = []
    for era in eras:
        for caller in tuple(contexts) or (Caller(),):
            ordinary = await _look(server, era, caller)
            for claim, claiming in _claims(caller, flags, names):
                differences = _differences(ordinary, await _look(server, era, claiming))
                found += [f"to {claiming} ({era}) that {claim}, the server {each}" for each in differences]
    return tuple(dict.fromkeys(found))


def _own_flags(server: Any) -> list[str]:
    seams = [each for each in lowlevel_of(server).middleware if isinstance(each, Seam)]
    parts = [part for seam in seams for part in seam.parts if isinstance(part, Granting)]
    return [flag for part in parts for flag in part.flags]


def _claims(caller: Caller, flags: Iterable[str], names: Iterable[str]) -> Iterable[tuple[str, Caller]]:
    claimed: JsonObject = {
        "experimental": {flag: {"enabled": True} for flag in flags},
        "extensions": {name: {} for flag in flags for name in (flag, f"com.example/{flag}")},
        "tasks": {"list": {}, "cancel": {}},
        "tools": {"listChanged": True},
        "prompts": {"listChanged": True},
        "resources": {"subscribe": True, "listChanged": True},
    }
    yield "claims features", replace(caller, capabilities=claimed)
    asked: JsonObject = {
        "sampling": {"tools": {}, "context": {}},
        "roots": {"listChanged": True},
        "elicitation": {"form": {}, "url": {}},
    }
    yield "can be asked for everything", replace(caller, capabilities=asked)
    yield "is of another version", replace(caller, client_version="99.0.0", client_title="Admin Console")
    for name in names:
        yield f"calls itself {printable(name, 60)!r}", replace(caller, client_name=name)


async def _look(server: Any, era: Era, caller: Caller) -> _Seen:
    async with looking(server, era, caller) as session:
        listed, _ = await session.listed()
        return _Seen(_declared(session), {(one.kind, one.name): one.digest for one in listed})


def _declared(session: Looking) -> JsonObject:
    told = session.conversation.introduction
    return {"instructions": told.get("instructions"), **session.capabilities}


def _differences(ordinary: _Seen, claimed: _Seen) -> Iterable[str]:
    members = sorted(ordinary.declared.keys() | claimed.declared.keys())
    for member in members:
        before, now = ordinary.declared.get(member), claimed.declared.get(member)
        if canonical(before) != canonical(now):
            yield f"declares another {printable(member, 60)!r}"
    for kind, name in sorted(ordinary.listed.keys() | claimed.listed.keys()):
        before, now = ordinary.listed.get((kind, name)), claimed.listed.get((kind, name))
        if before != now:
            how = "otherwise" if before and now else "too" if now else "no more"
            yield f"lists the {kind} {printable(name, 60)!r} {how}"


def _refuse(problems: Sequence[str]) -> None:
    if problems:
        lines = "\n".join(f"  {problem}" for problem in problems)
        raise AssertionError(f"{len(problems)} thing(s) depend on what a client claims\n{lines}")
