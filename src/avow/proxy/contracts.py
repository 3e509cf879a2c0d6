"""From what a user names to what a session is held to: the command to start, the contract, the policy."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from avow.core.contract import Contract
from avow.core.lockfile import Entry, Lockfile
from avow.core.snapshot import Source
from avow.core.target import StdioTarget, Target
from avow.errors import ServerLaunchError, UsageError
from avow.protocol.gate.policy import GatePolicy
from avow.system.processes import expand


class Holding(StrEnum):
    """What a session is held to: an approved entry, the server's declaration, or its first lists."""

    LOCK = "lock"
    DECLARED = "declared"
    FROZEN = "frozen"


@dataclass(frozen=True, slots=True)
class Held:
    """A server, and what its sessions are held to; without a contract the gate makes one as it goes."""

    name: str
    target: Target
    contract: Contract | None
    policy: GatePolicy


def hold_entry(name: str, entry: Entry, policy: GatePolicy, holding: Holding = Holding.LOCK) -> Held:
    """Hold a locked server, to its entry unless somebody asks for less."""
    contract = Contract.from_entry(entry.snapshot) if holding is Holding.LOCK else None
    return Held(name, entry.snapshot.target, contract, _policy(policy, holding))


def hold_command(
    name: str | None,
    command: Sequence[str],
    values: Mapping[str, str],
    lockfile: Lockfile | None,
    path: Path,
    policy: GatePolicy,
    holding: Holding | None,
) -> Held:
    """Hold the server that a command starts, to its entry when it has one.

    An entry may say `${NAME}` where the command has the value of that variable.

    Raises:
        UsageError: the entry approves another command, or is asked for and not there.
    """
    target = StdioTarget(command[0], tuple(command[1:]))
    entry = lockfile.servers.get(name) if lockfile and name else None
    if entry is None:
        if holding is Holding.LOCK:
            raise UsageError(
                f"{path} has no entry {name!r} to hold this command to",
                hint="approve it with `avow lock --name NAME -- COMMAND ARG…`",
            )
        return Held(name or command[0], target, None, _policy(policy, holding or Holding.FROZEN))
    approved = entry.snapshot.target
    if not isinstance(approved, StdioTarget) or list(command) not in _spellings(approved, values):
        raise UsageError(
            f"the entry {name!r} of {path} approves another command than this one",
            hint=f"start what is approved with `avow run {name}`, or approve this one with `avow lock`",
        )
    return hold_entry(name or command[0], entry, policy, holding or Holding.LOCK)


def _spellings(target: StdioTarget, values: Mapping[str, str]) -> Iterator[list[str]]:
    """The command as it was approved, and as it reads with its variables filled in."""
    words = [target.command, *target.args]
    yield words
    with suppress(ServerLaunchError):
        yield [expand(word, values) for word in words]


def _policy(policy: GatePolicy, holding: Holding) -> GatePolicy:
    return replace(policy, source=Source.DECLARED) if holding is Holding.DECLARED else policy
