"""What a contract accepts, and where it comes from."""

from dataclasses import replace

from avow.core.capability import Capability, Kind, Signature
from avow.core.contract import Contract, ContractSource
from avow.core.snapshot import Volatile
from avow.core.volatile import with_volatile
from conversations import ECHO, TIME, entry, locked, signature

FROM = Volatile("/tools/get_runs/inputSchema/properties/from/default", "text: <time>")


def runs(when: str, **members: object) -> Capability:
    schema = {"type": "object", "properties": {"from": {"type": "string", "default": when}}}
    return Capability.read(Kind.TOOL, {"name": "get_runs", "inputSchema": schema, **members})


def test_a_contract_of_an_entry_knows_who_the_server_is() -> None:
    contract = locked()

    assert contract.source is ContractSource.LOCK
    assert contract.server is not None
    assert (contract.server.name, contract.server.instructions) == ("demo", "Be kind.")
    assert contract.digest == signature().digest
    assert contract.open == frozenset()


def test_a_contract_of_a_signature_is_about_capabilities_alone() -> None:
    contract = Contract.from_signature(signature(), ContractSource.DECLARED, open_kinds=[Kind.PROMPT])

    assert contract.server is None
    assert contract.is_open(Kind.PROMPT)
    assert not contract.is_open(Kind.TOOL)


def test_kinds_that_an_entry_names_as_incomplete_are_open() -> None:
    contract = locked(complete=False, extra={"incomplete": ["resources", "nonsense"]})

    assert contract.open == frozenset({Kind.RESOURCE})


def test_only_what_was_approved_is_accepted() -> None:
    contract = locked()

    assert contract.accepts(Capability.read(Kind.TOOL, dict(reversed(ECHO.items()))))
    assert not contract.accepts(Capability.read(Kind.TOOL, {**ECHO, "x": 1}))
    assert not contract.accepts(Capability.read(Kind.TOOL, {**TIME, "name": "new"}))
    assert not contract.accepts(Capability.read(Kind.PROMPT, {"name": "echo"}))
    assert contract.find(Kind.TOOL, "new") is None
    assert list(contract.of_kind(Kind.TOOL)) == ["echo", "get_time"]


def test_volatile_values_may_differ_and_nothing_else_may() -> None:
    snapshot = with_volatile(entry(Signature.of([runs("10:00")])), [FROM])
    assert snapshot.volatile == (FROM,)
    contract = Contract.from_entry(snapshot)

    assert contract.accepts(runs("11:00"))
    assert not contract.accepts(runs("a time that people like"))
    assert not contract.accepts(runs("11:00", description="new"))
    assert not Contract.from_entry(replace(snapshot, volatile=())).accepts(runs("11:00"))


def test_a_list_may_leave_out_the_variants_of_a_tool_but_not_change_them() -> None:
    whole = {**TIME, "resolvedVariants": [{"when": {}}]}
    contract = locked(signature(tools=(whole,)))

    assert contract.accepts(Capability.read(Kind.TOOL, whole))
    assert contract.accepts(Capability.read(Kind.TOOL, TIME))
    assert not contract.accepts(Capability.read(Kind.TOOL, {**TIME, "resolvedVariants": []}))
