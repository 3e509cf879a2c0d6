"""What a server author drops into a test suite: the signature is complete, stable, minimal and unchanged.

    def test_signature() -> None:
        assert_signature(mcp, contexts=[Caller(), Caller(scopes=("admin",))], lockfile="avow.lock")

The server runs in this process and is spoken to in both eras, in raw JSON-RPC. An `async` test awaits
`check_signature` instead; `SignatureSuite` makes a test of each rule.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from inspect import isawaitable
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias

import anyio

from avow.core.capability import Capability, Kind
from avow.core.contract import Contract
from avow.core.drift.model import Drift
from avow.core.drift.volatile import approval_drift
from avow.core.printable import printable
from avow.core.snapshot import Era, Snapshot
from avow.core.volatile import with_volatile
from avow.errors import MalformedInputError
from avow.server.inprocess import Caller
from avow.server.looks import Looking, looking

__all__ = [
    "Caller",
    "Problem",
    "Rule",
    "SignatureSuite",
    "assert_signature",
    "check_signature",
    "find_problems",
]

ERAS: Final = (Era.LEGACY, Era.MODERN)
Change: TypeAlias = Callable[[], object]


class Rule(StrEnum):
    """What is asserted about a signature."""

    COMPLETE = "complete"
    STABLE = "stable"
    MINIMAL = "minimal"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class Problem:
    """One way in which a signature is not what it should be."""

    rule: Rule
    message: str

    def __str__(self) -> str:
        """The rule and what breaks it."""
        return f"not {self.rule}: {self.message}"


async def check_signature(server: Any, **options: Any) -> None:
    """Assert all four rules from an `async` test; the options are those of `find_problems`.

    Raises:
        AssertionError: it says everything that is wrong.
    """
    _refuse(await find_problems(server, **options))


def assert_signature(server: Any, **options: Any) -> None:
    """Assert all four rules from an ordinary test; the options are those of `find_problems`.

    Raises:
        AssertionError: it says everything that is wrong.
    """
    _refuse(anyio.run(partial(find_problems, server, **options)))


async def find_problems(
    server: Any,
    *,
    contexts: Iterable[Caller] = (),
    lockfile: str | PathLike[str] | None = None,
    name: str | None = None,
    changes: Sequence[Change] = (),
    eras: Iterable[Era] = ERAS,
) -> tuple[Problem, ...]:
    """Look at a server as each caller of `contexts`, and list what is wrong with its signature.

    - complete: whatever anybody is shown in a list is in the signature, as the signature has it;
    - stable: everybody gets the same signature, in every session, before and after a `list_changed` and
      each of `changes`, functions that change what is available;
    - minimal: each capability of the signature is shown to one of the callers;
    - unchanged: the entry `name` of `lockfile` (by default the server's own name) approves exactly this.

    Without contexts an anonymous client looks. The server is an `MCPServer`, a low-level `Server` or FastMCP.
    """
    callers = tuple(contexts) or (Caller(),)
    found = _Findings()
    for era in eras:
        for caller in (*callers, callers[0]):
            # The first one comes again, in a second session.
            await found.look(server, era, caller, changes)
    found.judge_minimal(callers)
    if lockfile is not None:
        found.judge_unchanged(Path(lockfile), name)
    return tuple(dict.fromkeys(found.problems))


class SignatureSuite:
    """One test per rule for a server: inherit, and say which.

    class TestSignature(SignatureSuite):
        server = mcp
        contexts = (Caller(), Caller(scopes=("admin",)))
        lockfile = "avow.lock"
    """

    server: ClassVar[Any]
    contexts: ClassVar[Sequence[Caller]] = ()
    lockfile: ClassVar[str | PathLike[str] | None] = None
    name: ClassVar[str | None] = None
    changes: ClassVar[Sequence[Change]] = ()

    def test_the_signature_is_complete(self) -> None:
        """No list shows what the signature does not have."""
        self._assert(Rule.COMPLETE)

    def test_the_signature_is_stable(self) -> None:
        """Everybody gets the same one, all the time."""
        self._assert(Rule.STABLE)

    def test_the_signature_is_minimal(self) -> None:
        """Nothing is declared that nobody is ever shown."""
        self._assert(Rule.MINIMAL)

    def test_the_signature_is_unchanged(self) -> None:
        """It is the one in the lockfile."""
        self._assert(Rule.UNCHANGED)

    def _assert(self, rule: Rule) -> None:
        look = partial(
            find_problems,
            type(self).server,
            contexts=self.contexts,
            lockfile=self.lockfile if rule is Rule.UNCHANGED else None,
            name=self.name,
            changes=self.changes,
        )
        _refuse([problem for problem in anyio.run(look) if problem.rule is rule])


@dataclass
class _Findings:
    """What the looks at a server add up to."""

    problems: list[Problem] = field(default_factory=list)
    _first: dict[Era, tuple[str, Contract]] = field(default_factory=dict)
    _snapshots: dict[Era, Snapshot] = field(default_factory=dict)
    _shown: set[tuple[Kind, str]] = field(default_factory=set)

    async def look(self, server: Any, era: Era, caller: Caller, changes: Sequence[Change]) -> None:
        """One session: before and after everything that may change what is available."""
        async with looking(server, era, caller) as session:
            if not await self._look(session, session.circumstances):
                return
            for number, change in enumerate(changes, start=1):
                outcome = change()
                if isawaitable(outcome):
                    await outcome
                await self._look(session, f"{session.circumstances} after change {number}")
            for kind in await session.tell_of_changes():
                self._add(Rule.STABLE, f"{session.circumstances} does not hear that {kind} have changed")
            await self._look(session, f"{session.circumstances} after list_changed")

    def judge_minimal(self, callers: Sequence[Caller]) -> None:
        """What the signature has and nobody was shown."""
        declared = {
            (one.kind, one.name) for _, contract in self._first.values() for one in contract.signature
        }
        who = ", ".join(map(str, callers))
        for kind, name in sorted(declared - self._shown):
            self._add(
                Rule.MINIMAL,
                f"the signature has the {kind} {_quoted(name)}, which is in no list of {who}; "
                "add a context in which it is available, or remove it",
            )

    def judge_unchanged(self, path: Path, name: str | None) -> None:
        """How the server differs from what a person approved."""
        from avow.system.lockfiles import read_lockfile

        servers = read_lockfile(path).servers
        if not self._snapshots:
            return
        chosen = name or next(iter(self._snapshots.values())).name
        entry = servers.get(chosen)
        if entry is None:
            known = ", ".join(map(_quoted, sorted(servers))) or "none"
            text = f"{path} has no entry {_quoted(chosen)} (it has {known}); write it with `avow lock`"
            self._add(Rule.UNCHANGED, text)
            return
        approved = entry.snapshot
        seen = self._snapshots.get(approved.era) or next(iter(self._snapshots.values()))
        drift = approval_drift(approved, with_volatile(seen, approved.volatile))
        if drift:
            lines = "\n".join(_drift_lines(drift))
            text = (
                f"{path} approves something else for {_quoted(chosen)}; review it with `avow lock`\n{lines}"
            )
            self._add(Rule.UNCHANGED, text)

    async def _look(self, session: Looking, who: str) -> bool:
        try:
            contract = await session.contract()
        except MalformedInputError as exc:
            self._add(Rule.COMPLETE, f"for {who} {exc.message}{f' ({exc.hint})' if exc.hint else ''}")
            return False
        era = session.conversation.era
        self._snapshots.setdefault(era, session.snapshot(contract))
        self._judge_stable(era, contract, who)
        listed, mistakes = await session.listed()
        for mistake in mistakes:
            self._add(Rule.COMPLETE, f"for {who} {printable(mistake, 300, fold=True)}")
        for capability in listed:
            self._judge_complete(contract, capability, who)
        return True

    def _judge_stable(self, era: Era, contract: Contract, who: str) -> None:
        others, first = self._first.setdefault(era, (who, contract))
        if contract.digest == first.digest and contract.open == first.open:
            return
        names, before = ({(one.kind, one.name) for one in each.signature} for each in (contract, first))
        different = sorted(f"{kind} {_quoted(name)}" for kind, name in names ^ before) or [
            "other definitions"
        ]
        text = f"{who} gets another signature than {others}: {', '.join(different[:10])}"
        self._add(Rule.STABLE, text)

    def _judge_complete(self, contract: Contract, listed: Capability, who: str) -> None:
        self._shown.add((listed.kind, listed.name))
        known = contract.find(listed.kind, listed.name)
        what = f"{listed.kind.list_method} shows {_quoted(listed.name)} to {who}"
        if known is None and not contract.is_open(listed.kind):
            self._add(Rule.COMPLETE, f"{what}, which the signature does not have")
        elif known is not None and not contract.accepts(listed):
            members = {*known.definition, *listed.definition}
            other = sorted(m for m in members if known.definition.get(m) != listed.definition.get(m))
            self._add(
                Rule.COMPLETE, f"{what} with another {', '.join(map(_quoted, other))} than the signature has"
            )

    def _add(self, rule: Rule, message: str) -> None:
        self.problems.append(Problem(rule, message))


def _drift_lines(drift: Iterable[Drift]) -> Iterator[str]:
    for one in drift:
        yield f"    {one.severity}: {one.type} {_quoted(one.name)}: {printable(one.summary, 300, fold=True)}"


def _quoted(name: str) -> str:
    return f"'{printable(name, 80, fold=True)}'"


def _refuse(problems: Sequence[Problem]) -> None:
    if problems:
        lines = "\n".join(f"  {problem}" for problem in problems)
        raise AssertionError(f"{len(problems)} problem(s) with the signature\n{lines}")
