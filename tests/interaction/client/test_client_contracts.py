"""Where a client's contract comes from, how strictly it counts, and how it changes: only when approved."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.server.mcpserver import MCPServer

from avow.client import (
    AnswerRefusedError,
    CallRefusedError,
    Event,
    GuardedClient,
    Locked,
    Proposal,
    ServerChangedError,
    SignatureUnusableError,
)
from avow.client import guard as guard_module
from avow.core.capability import Kind
from avow.core.contract import Contract, ContractSource
from avow.core.lockfile import Entry, Lockfile
from avow.core.policy import Policy
from avow.core.severity import Severity
from avow.core.snapshot import Era
from avow.errors import LockfileError, StorageError, UsageError
from avow.server import Variant, declare
from avow.system.lockfiles import write_lockfile
from conversations import ECHO, EVIL, TIME, Json, entry, signature, told
from guarding.peers import MODES, PATIENCE, Peer, declaration, declaring
from guarding.studio import over_http

pytestmark = pytest.mark.anyio

NEWS = "notifications/signature/changed"


def guarded(peer: Peer | str, era: Era, **options: Any) -> GuardedClient:
    return GuardedClient(peer, mode=MODES[era], **{"signature_cache": False, **options})


async def names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools(cache_mode="refresh")).tools]


def lockfile(path: Path) -> Locked:
    write_lockfile(path, Lockfile({"demo": Entry(entry())}))
    return Locked(path, "demo")


async def test_a_lock_entry_is_the_contract_whatever_the_server_declares(era: Era, tmp_path: Path) -> None:
    locked = lockfile(tmp_path / "avow.lock")
    pair = (str(locked.path), locked.name)
    for contract in (locked, pair, entry(), Entry(entry()), Contract.from_entry(entry())):
        peer = declaring(ECHO, TIME, EVIL)
        async with guarded(peer, era, contract=contract, on_violation="drop") as client:
            assert client.contract.source is ContractSource.LOCK
            assert await names(client) == ["echo", "get_time"]
            with pytest.raises(CallRefusedError) as refused:
                await client.call_tool("echo", {"text": 5})
            assert refused.value.reason == "arguments"
            with pytest.raises(UsageError):
                await client.refresh_signature()
        assert "signature" not in peer.server.methods()


async def test_a_lockfile_without_the_server_is_no_contract(tmp_path: Path) -> None:
    locked = lockfile(tmp_path / "avow.lock")
    for contract, error in (
        (Locked(locked.path, "another"), LockfileError),
        (Locked(tmp_path / "none.lock", "demo"), StorageError),
    ):
        with anyio.fail_after(PATIENCE), pytest.raises(error):
            async with guarded(declaring(), Era.LEGACY, contract=contract):
                pytest.fail("nobody may get this far")


async def test_another_server_than_the_locked_one_is_not_talked_to(era: Era) -> None:
    peer = declaring()
    peer.server.name = "impostor"
    with anyio.fail_after(PATIENCE), pytest.raises(ServerChangedError) as refused:
        async with guarded(peer, era, contract=entry()):
            pytest.fail("nobody may get this far")
    assert "impostor" not in str(refused.value)
    assert not {"tools/list", "tools/call"} & set(peer.server.methods())


async def test_what_is_beyond_the_contract_is_dropped_where_that_is_wanted(era: Era) -> None:
    events: list[Event] = []
    peer = declaring()
    peer.server.tools = [EVIL, {**ECHO, "description": "EVIL"}, TIME]
    async with guarded(peer, era, on_violation="drop", on_event=events.append) as client:
        assert await names(client) == ["get_time"]
        for name in ("run_shell", "echo"):
            with pytest.raises(CallRefusedError):
                await client.call_tool(name, {"text": "x"})
    found = {(event.event, event.name) for event in events if event.severity is Severity.CRITICAL}
    assert ("capability_outside_contract", "run_shell") in found
    assert ("capability_changed", "echo") in found
    assert ("call_refused", "run_shell") in found


async def test_or_only_reported(era: Era) -> None:
    events: list[Event] = []
    peer = declaring()
    peer.server.tools = [EVIL]
    async with guarded(peer, era, on_violation="log", on_event=events.append) as client:
        assert await names(client) == ["run_shell"]
        assert not (await client.call_tool("run_shell", {})).is_error
    assert [event.detail for event in events if event.event == "call_refused"] == [
        "would be withheld: not_approved"
    ]


async def test_a_changed_tool_can_be_shown_as_it_was_declared(era: Era) -> None:
    peer = declaring()
    peer.server.tools = [{**ECHO, "description": "EVIL"}]
    async with guarded(peer, era, on_violation="drop", on_changed="pin") as client:
        assert [tool.description for tool in (await client.list_tools()).tools] == [ECHO["description"]]
        assert not (await client.call_tool("echo", {"text": "x"})).is_error


async def test_what_a_listener_raises_changes_nothing(era: Era, caplog: pytest.LogCaptureFixture) -> None:
    def fail(event: Event) -> None:
        raise ValueError(event.event)

    async with guarded(declaring(), era, on_event=fail) as client:
        assert await names(client) == ["echo", "get_time"]
    assert "on_event raised" in caplog.text


async def test_a_signature_may_leave_a_kind_open(era: Era) -> None:
    peer = declaring(resources=[], digest=None, complete=False, incomplete=["resources"])
    assert peer.server.signature is not None
    del peer.server.signature["digest"]
    async with guarded(peer, era) as client:
        assert client.contract.open == {Kind.RESOURCE}
        assert not client.permissions().is_complete
        await client.read_resource("anything://at/all")
        peer.server.tools = [EVIL]
        with pytest.raises(AnswerRefusedError):
            await client.list_tools()


async def test_news_of_a_signature_change_only_tell(era: Era) -> None:
    """The contract stays until somebody asks again, and approves what has changed."""
    peer, announced = declaring(), anyio.Event()

    def hear(event: Event) -> None:
        if event.event == "signature_announced":
            announced.set()

    async with guarded(peer, era, on_event=hear) as client:
        peer.server.signature = declaration(ECHO, TIME, EVIL)
        peer.server.tools = [ECHO, TIME, EVIL]
        await peer.say(told(NEWS))
        with anyio.fail_after(PATIENCE):
            await announced.wait()
        with pytest.raises(CallRefusedError):
            await client.call_tool("run_shell", {})

        refused = await client.refresh_signature()
        assert not refused.approved
        assert [(drift.type, drift.name) for drift in refused.drift] == [("tool_added", "run_shell")]
        with pytest.raises(CallRefusedError):
            await client.call_tool("run_shell", {})

        approved = await client.refresh_signature(lambda proposal: proposal.drift[0].name == "run_shell")
        assert approved.approved
        assert await names(client) == ["echo", "get_time", "run_shell"]
        assert not (await client.call_tool("run_shell", {})).is_error


async def test_what_is_safe_is_approved_by_default_and_nothing_else(era: Era) -> None:
    stricter = {**ECHO, "inputSchema": {**ECHO["inputSchema"], "required": ["text", "mode"]}}
    peer = declaring()
    async with guarded(peer, era) as client:
        peer.server.signature, peer.server.tools = declaration(stricter, TIME), [stricter, TIME]
        assert not (await client.refresh_signature()).approved
        assert (await client.refresh_signature(Policy(fail_on=Severity.CRITICAL))).approved
        assert not (await client.call_tool("echo", {"text": "x", "mode": "loud"})).is_error

        peer.server.signature, peer.server.tools = declaration(stricter), [stricter]
        assert (await client.refresh_signature()).approved
        assert set(client.signature.tools) == {"echo"}


async def test_a_server_that_stays_what_it_is_need_not_repeat_itself(era: Era) -> None:
    peer = declaring()
    async with guarded(peer, era) as client:
        known = client.signature.digest
        peer.server.answers["signature"] = lambda params: {
            "result": {"unchanged": True, "digest": params["knownDigest"]}
        }
        renewal = await client.refresh_signature()
        assert (renewal.approved, renewal.drift, client.signature.digest) == (True, (), known)


async def test_no_policy_lets_a_server_become_incomplete(era: Era) -> None:
    peer = declaring()
    async with guarded(peer, era) as client:
        peer.server.signature = declaration(complete=False, incomplete=["tools"])
        assert not (await client.refresh_signature()).approved

        def let(proposal: Proposal) -> bool:
            return proposal.opened == {Kind.TOOL}

        assert (await client.refresh_signature(let)).approved
        assert client.contract.is_open(Kind.TOOL)


async def test_frozen_lists_can_be_looked_at_again(era: Era) -> None:
    peer = Peer()
    async with guarded(peer, era) as client:
        peer.server.tools = [ECHO]
        renewal = await client.refresh_signature()
        assert renewal.approved
        assert await names(client) == ["echo"]


async def test_the_lists_of_a_stateless_server_do_not_stay_true_for_ever(
    era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It need not say that they have changed."""
    monkeypatch.setattr(guard_module, "_LIFETIME", 0.0)
    peer = declaring()
    async with guarded(peer, era) as client:
        await client.call_tool("get_time", {})
        peer.server.tools = [{**TIME, "description": "EVIL"}]
        if era is Era.MODERN:
            with pytest.raises(CallRefusedError):
                await client.call_tool("get_time", {})
        else:
            await client.call_tool("get_time", {})


async def test_variants_are_resolved_without_asking(era: Era) -> None:
    """The server of an author who uses Avow, in this process."""
    server = MCPServer("files")
    avowed = declare(server)

    @server.tool()
    def manage_files(operation: str, path: str) -> str:
        """Read or delete a file."""
        return f"{operation} {path}"

    read = Variant(
        when={"operation": "read"}, annotations={"readOnlyHint": True}, required_scopes=("files:read",)
    )
    avowed.variants("manage_files", read)

    async with GuardedClient(server, mode=MODES[era], signature_cache=False) as client:
        assert client.contract.source is ContractSource.DECLARED
        assert client.permissions().scopes == {"files:read"}
        reading = await client.resolve("manage_files", {"operation": "read", "path": "a"})
        assert (reading["annotations"]["readOnlyHint"], reading["requiredScopes"]) == (True, ["files:read"])
        deleting = await client.resolve("manage_files", {"operation": "delete", "path": "a"})
        assert "requiredScopes" not in deleting
        assert (await client.call_tool("manage_files", {"operation": "read", "path": "a"})).content


async def test_a_signature_of_more_than_a_megabyte_arrives_over_http(era: Era) -> None:
    """The SDK alone takes events of one."""
    server = MCPServer("large")
    declare(server)
    for number in range(3):
        server.add_tool(lambda: "", name=f"t{number}", description="x" * 600_000)
    async with over_http(server) as url, guarded(url, era) as client:
        assert client.contract.source is ContractSource.DECLARED
        assert len(client.signature.tools) == 3


async def test_a_damaged_cache_is_no_cache(era: Era, tmp_path: Path) -> None:
    async with guarded(declaring(), era, name="demo", signature_cache=tmp_path):
        pass
    (kept,) = tmp_path.glob("*/*.json")
    document: Json = json.loads(kept.read_bytes())
    damaged = [b"", b"{", json.dumps({**document, "tools": [EVIL]}).encode(), b"[]", b'{"tools":[]}']
    for data in damaged:
        kept.write_bytes(data)
        peer = declaring()
        async with guarded(peer, era, name="demo", signature_cache=tmp_path) as client:
            assert client.signature.digest == signature().digest
        assert "signature" in peer.server.methods()
        assert json.loads(kept.read_bytes()) == document


async def test_both_caches_can_be_off(era: Era, cache_directory: Path) -> None:
    async with GuardedClient(declaring(), mode=MODES[era], name="demo", cache=False) as client:
        await names(client)
    assert not cache_directory.exists()
    async with GuardedClient(declaring(), mode=MODES[era], name="demo"):
        pass
    assert len(list(cache_directory.glob("*/*.json"))) == 1


async def test_a_client_is_used_inside_and_once() -> None:
    client = guarded(declaring(), Era.LEGACY)
    with pytest.raises(RuntimeError):
        client.signature.digest  # noqa: B018 - asking is enough
    async with client:
        assert client.signature.digest
    with pytest.raises(UsageError):
        guarded(declaring(), Era.LEGACY, fallback="frieze")
    with pytest.raises(TypeError):
        guarded(declaring(), Era.LEGACY, colour="blue")


async def test_an_error_that_is_not_ours_is_the_sdks_own(era: Era) -> None:
    """A signature that fails says so in a plain error, whatever groups of errors lie around it."""
    peer = declaring(digest=7)
    with pytest.raises(SignatureUnusableError) as refused:
        async with guarded(peer, era):
            pytest.fail("nobody may get this far")
    assert refused.value.hint
