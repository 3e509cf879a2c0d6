"""How a client wants a server to be held: what to, how strictly, and who hears about it."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from os import PathLike
from pathlib import Path
from typing import Final, TypeAlias

from avow.core.contract import Contract
from avow.core.lockfile import Entry
from avow.core.snapshot import Snapshot, Source
from avow.errors import LockfileError, UsageError
from avow.protocol.events import Event
from avow.protocol.gate import Fallback, GatePolicy, Limits, OnChanged
from avow.system.lockfiles import read_lockfile

TIMEOUT: Final = 30.0
"""How many seconds a server may take to say what it can do."""

OnEvent: TypeAlias = Callable[[Event], None]


class OnViolation(StrEnum):
    """What becomes of an answer that goes beyond the contract.

    `raise` refuses all of it, `drop` shows what is within, `log` shows everything and only reports. A call
    outside the contract is refused except with `log`.
    """

    RAISE = "raise"
    DROP = "drop"
    LOG = "log"


@dataclass(frozen=True, slots=True)
class Locked:
    """A server's entry in a lockfile."""

    path: str | PathLike[str]
    name: str


ContractLike: TypeAlias = Contract | Snapshot | Entry | Locked | tuple[str | PathLike[str], str] | None


@dataclass(frozen=True, slots=True)
class Guarding:
    """Everything that a client decides about one server.

    `contract` is a lock entry or another contract; without one, the server's declared signature is the
    contract, and where it declares none, what `fallback` says.
    """

    contract: ContractLike = None
    fallback: Fallback | str = Fallback.FREEZE
    on_violation: OnViolation | str = OnViolation.RAISE
    on_event: OnEvent | None = None
    on_changed: OnChanged | str = OnChanged.BLOCK
    validate_arguments: bool | None = None
    timeout: float = TIMEOUT
    limits: Limits = field(default_factory=Limits)

    @property
    def raises(self) -> bool:
        """Whether an answer beyond the contract is refused as a whole."""
        return OnViolation(self.on_violation) is OnViolation.RAISE

    def gate_policy(self) -> GatePolicy:
        """What the gate is told.

        Raises:
            UsageError: one of the words is none that exists.
        """
        try:
            return GatePolicy(
                on_changed=OnChanged(self.on_changed),
                validate_arguments=self.validate_arguments,
                source=Source.DECLARED,
                fallback=Fallback(self.fallback),
                advertise_signature=False,
                audit=OnViolation(self.on_violation) is OnViolation.LOG,
                limits=self.limits,
            )
        except ValueError as exc:
            raise UsageError(str(exc), hint="see docs/client.md for the words that exist") from exc

    def ready(self) -> "Guarding":
        """The same with the contract read, so that nothing can go wrong once a server runs.

        Raises as `read_contract`.
        """
        return replace(self, contract=self.read_contract())

    def read_contract(self) -> Contract | None:
        """The contract that was given; `None` where the server is to be asked.

        Raises:
            StorageError: the lockfile cannot be read.
            LockfileError: it is not what it says it is, or has no such entry.
        """
        match self.contract:
            case Snapshot() as snapshot:
                return Contract.from_entry(snapshot)
            case Entry(snapshot=snapshot):
                return Contract.from_entry(snapshot)
            case Locked(path=path, name=name) | (path, name):
                return Contract.from_entry(_entry(Path(path), name).snapshot)
            case contract:
                return contract


def _entry(path: Path, name: str) -> Entry:
    servers = read_lockfile(path).servers
    if name not in servers:
        known = ", ".join(sorted(servers)) or "none at all"
        raise LockfileError(f"{path} has no entry {name!r}", hint=f"it has {known}")
    return servers[name]
