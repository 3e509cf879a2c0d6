"""What a session with a chosen server is held to: the contract, and the policy that applies it."""

from dataclasses import dataclass, replace

from avow.core.canonical import JsonValue
from avow.core.contract import Contract
from avow.core.lockfile import Entry
from avow.core.snapshot import Source
from avow.core.target import Target
from avow.protocol.gate.policy import GatePolicy
from avow.proxy.choosing import Chosen, Holding, choose_entry


@dataclass(frozen=True, slots=True)
class Held:
    """A server, and what its sessions are held to; without a contract the gate makes one as it goes.

    `declared` is the configuration that the server declared when it was approved.
    """

    name: str
    target: Target
    contract: Contract | None
    policy: GatePolicy
    declared: JsonValue = None


def hold(chosen: Chosen, policy: GatePolicy) -> Held:
    """Make the contract that was chosen."""
    contract = None
    if chosen.entry is not None and chosen.holding is Holding.LOCK:
        contract = Contract.from_entry(chosen.entry.snapshot)
    if chosen.holding is Holding.DECLARED:
        policy = replace(policy, source=Source.DECLARED)
    return Held(chosen.name, chosen.target, contract, policy, chosen.declared)


def hold_entry(name: str, entry: Entry, policy: GatePolicy) -> Held:
    """Hold a locked server to its entry."""
    return hold(choose_entry(name, entry), policy)
