"""Looks at a server object from inside its process: what one caller is shown in one session."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Final

from avow.core.canonical import JsonObject
from avow.core.capability import Capability, Kind
from avow.core.configuration.wire import find_declaration
from avow.core.contract import Contract, ContractSource
from avow.core.snapshot import Era, Snapshot, Source
from avow.core.target import PythonTarget
from avow.errors import DeclarationError, MalformedInputError
from avow.protocol.gate.signature import METHOD, advertised_digest, is_advertised, read_declaration
from avow.protocol.gate.stateless import SERVER_KEY
from avow.server.enforcing import Enforcement
from avow.server.inprocess import VERSIONS, Caller, Conversation, RefusedError, converse
from avow.server.seam import Part, Seam, lowlevel_of
from avow.server.telling import Audience

_PATIENCE: Final = 30.0
_MAX_ITEMS: Final = 10_000
_MAX_PAGES: Final = 1_000
_NEWS: Final = {
    Kind.TOOL: "notifications/tools/list_changed",
    Kind.PROMPT: "notifications/prompts/list_changed",
    Kind.RESOURCE: "notifications/resources/list_changed",
}


@dataclass
class Looking:
    """One open session, and who looks."""

    conversation: Conversation
    caller: Caller
    _parts: list[Part] = field(default_factory=list)
    _has_contract: bool = False

    @property
    def capabilities(self) -> JsonObject:
        """What the server says it can do."""
        found: JsonObject = self.conversation.introduction.get("capabilities", {})
        return found

    @property
    def circumstances(self) -> str:
        """Who looks, and how, in words."""
        return f"{self.caller} ({VERSIONS[self.conversation.era]})"

    async def contract(self) -> Contract:
        """The signature, fetched now; the first one is held against what the server announced.

        Raises:
            MalformedInputError: there is none, or it is not the one that was announced.
        """
        if not is_advertised(self.capabilities):
            raise DeclarationError(
                "the server announces no signature", hint="call avow.server.declare(server)"
            )
        try:
            declared = read_declaration(await self.conversation.request(METHOD), _MAX_ITEMS)
        except RefusedError as exc:
            raise DeclarationError(f"the server does not hand out its signature: {exc.message}") from exc
        is_announced = advertised_digest(self.capabilities) == declared.signature.digest
        if not self._has_contract and not is_announced:
            raise DeclarationError("the signature is not the one that the server announces")
        self._has_contract = True
        return Contract.from_signature(
            declared.signature, ContractSource.DECLARED, open_kinds=declared.open_kinds
        )

    async def listed(self) -> tuple[list[Capability], list[str]]:
        """Everything that the lists show, and the mistakes of the author that a client would not see."""
        found: list[Capability] = []
        mistakes: list[str] = []
        for kind in Kind:
            if _holder(kind) not in self.capabilities:
                continue
            try:
                with _strictly(self._parts):
                    items = await self._walk(kind)
            except RefusedError as exc:
                mistakes.append(exc.message.removeprefix("avow: "))
                items = await self._walk(kind)
            found += items
        return found, mistakes

    async def tell_of_changes(self) -> list[str]:
        """Let the server say that its lists have changed; the kinds of which nobody heard come back."""
        audience = next((part for part in self._parts if isinstance(part, Audience)), None)
        if audience is None or self.conversation.era is not Era.LEGACY:
            return []
        kinds = [kind for kind in _NEWS if _changes(self.capabilities, kind)]
        await audience.lists_changed(kinds)
        return [kind.collection for kind in kinds if not await self.conversation.wait_for(_NEWS[kind], 5.0)]

    def snapshot(self, contract: Contract) -> Snapshot:
        """The whole surface, as a lock entry holds it."""
        said = self.conversation.introduction
        meta = said.get("_meta")
        stamped = meta.get(SERVER_KEY) if isinstance(meta, dict) else None
        incomplete = [kind.collection for kind in Kind if kind in contract.open]
        return Snapshot(
            target=PythonTarget("server:object"),
            server=stamped or said.get("serverInfo") or {},
            protocol_version=said.get("protocolVersion", VERSIONS[self.conversation.era]),
            era=self.conversation.era,
            capabilities=self.capabilities,
            signature=contract.signature,
            instructions=said.get("instructions"),
            configuration_schema=find_declaration(said),
            protocol_versions=tuple(said.get("supportedVersions", ())),
            source=Source.DECLARED,
            complete=not incomplete,
            extra={"incomplete": incomplete} if incomplete else {},
        )

    async def _walk(self, kind: Kind) -> list[Capability]:
        found: list[Capability] = []
        cursor: JsonObject = {}
        for _ in range(_MAX_PAGES):
            page = await self.conversation.request(kind.list_method, **cursor)
            found += [Capability.read(kind, item) for item in page.get(kind.collection, [])]
            if page.get("nextCursor") is None:
                return found
            cursor = {"cursor": page["nextCursor"]}
        raise MalformedInputError(f"{kind.list_method} has no end: {_MAX_PAGES} pages and still a cursor")


@asynccontextmanager
async def looking(server: Any, era: Era, caller: Caller) -> AsyncIterator[Looking]:
    """Open a session in the world as the caller meets it."""
    seam = next((found for found in lowlevel_of(server).middleware if isinstance(found, Seam)), None)
    world = nullcontext() if caller.within is None else caller.within()
    with world:
        async with converse(server, era, caller, seconds=_PATIENCE) as conversation:
            yield Looking(conversation, caller, [] if seam is None else seam.parts)


@contextmanager
def _strictly(parts: list[Part]) -> Iterator[None]:
    """Make the mistakes of the author errors of the request, as `declare(…, strict=True)` does."""
    owners = [
        owner
        for part in parts
        if isinstance(part, Enforcement)
        for owner in (part, part._availability)
        if not owner._strict
    ]
    for owner in owners:
        owner._strict = True
    try:
        yield
    finally:
        for owner in owners:
            owner._strict = False


def _holder(kind: Kind) -> str:
    return "resources" if kind is Kind.TEMPLATE else kind.collection


def _changes(capabilities: JsonObject, kind: Kind) -> bool:
    offered = capabilities.get(_holder(kind))
    return isinstance(offered, dict) and offered.get("listChanged") is True
