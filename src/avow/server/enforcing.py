"""Holding a server to its signature: it is announced, lists keep to it, and so do calls."""

import logging
from typing import Final

from avow.core.canonical import Digest, JsonObject
from avow.core.capability import Capability, Kind
from avow.core.contract import Contract
from avow.core.snapshot import Era
from avow.errors import DeclarationError
from avow.protocol.events import shown
from avow.protocol.gate.signature import EXTENSION
from avow.protocol.messages import INTERNAL_ERROR, INVALID_PARAMS
from avow.server.availability import Availability
from avow.server.frameworks import Framework
from avow.server.ledger import Ledger
from avow.server.seam import Part, Request, refused

logger = logging.getLogger("avow.server")

MAX_REPORTS: Final = 1_000
"""How many different mistakes of a server's author are logged."""

_LISTS: Final = {kind.list_method: kind for kind in Kind}
_CAPABILITY: Final = {
    Kind.TOOL: "tools",
    Kind.PROMPT: "prompts",
    Kind.RESOURCE: "resources",
    Kind.TEMPLATE: "resources",
}


class Enforcement(Part):
    """The rules that every message of a declared server meets."""

    minds_nested = True

    def __init__(
        self,
        ledger: Ledger,
        availability: Availability,
        framework: Framework,
        *,
        strict: bool,
    ) -> None:
        """Enforce what the ledger holds; the framework knows names, and which template serves a URI."""
        self._ledger = ledger
        self._availability = availability
        self._framework = framework
        self._strict = strict
        self._compared: dict[tuple[Digest, Kind], set[str]] = {}
        self._logged: set[str] = set()

    @property
    def changing_kinds(self) -> frozenset[Kind]:
        """The kinds whose lists may change, of which clients are told."""
        return frozenset(self._availability.kinds)

    @property
    def open_kinds(self) -> frozenset[Kind]:
        """The kinds of which anything may appear."""
        return self._ledger.open_kinds

    async def before(self, request: Request) -> None:
        """Settle the signature before it can be needed, and refuse calls that are not open to the sender."""
        match request.method:
            case "initialize" | "server/discover":
                await self._ledger.open_session(request)
            case "tools/call":
                await self._admit(request, Kind.TOOL, request.params.get("name"))
            case "prompts/get":
                await self._admit(request, Kind.PROMPT, request.params.get("name"))
            case "completion/complete":
                await self._admit_completion(request)
            case "resources/read" | "resources/subscribe":
                await self._admit_uri(request, request.params.get("uri"))
            case "subscriptions/listen":
                await self._admit_subscriptions(request)
            case _:
                pass

    async def after(self, request: Request, result: JsonObject) -> None:
        """Announce the signature, or cut a list down to it."""
        kind = _LISTS.get(request.method)
        if kind is not None:
            await self._keep_to_signature(request, kind, result)
        elif request.is_handshake:
            await self._announce(request, result)

    async def visible(self, kind: Kind, definitions: list[JsonObject], request: Request) -> list[JsonObject]:
        """Those of some capabilities that are available to the sender of a request."""
        identifier = kind.identifier
        absent = await self._availability.unavailable(kind, [one[identifier] for one in definitions], request)
        return [one for one in definitions if one[identifier] not in absent]

    async def _announce(self, request: Request, result: JsonObject) -> None:
        generation = await self._ledger.holding_for(request)
        version = result.get("protocolVersion", request.protocol_version)
        announcement = {"digest": generation.contract(version).digest}
        capabilities = result["capabilities"] = dict(result.get("capabilities") or {})
        capabilities["signature"] = announcement
        if request.era is Era.MODERN:
            capabilities["extensions"] = {**capabilities.get("extensions", {}), EXTENSION: announcement}
            return
        for kind in self._availability.kinds:
            offered = capabilities.get(_CAPABILITY[kind])
            if isinstance(offered, dict):
                capabilities[_CAPABILITY[kind]] = {**offered, "listChanged": True}

    async def _keep_to_signature(self, request: Request, kind: Kind, result: JsonObject) -> None:
        items = result.get(kind.collection)
        if not items:
            return
        generation = await self._ledger.holding_for(request)
        names, identifier = generation.names[kind], kind.identifier
        listed = [item[identifier] for item in items]
        outside = frozenset() if kind in generation.open else frozenset(listed) - names
        self._report(kind, outside)
        self._compare(generation.contract(request.protocol_version), kind, items)
        absent = outside | await self._availability.unavailable(kind, listed, request)
        if absent:
            result[kind.collection] = [item for item in items if item[identifier] not in absent]
        if "cacheScope" in result and kind in self._availability.kinds:
            # A list that depends on who asks must not be handed on to somebody else.
            result["cacheScope"] = "private"

    def _report(self, kind: Kind, outside: frozenset[str]) -> None:
        """Tell the author of what a list must not have."""
        for name in sorted(outside):
            if not self._ledger.is_mistake(kind, name):
                continue
            mistake = f"the server lists the {kind} {shown(name)!r}, which its signature does not have"
            self._log_once(logging.ERROR, f"{mistake}; it is withheld")
            if self._strict:
                raise refused(
                    INTERNAL_ERROR, mistake, reason="outside_signature", kind=kind, name=shown(name)
                ) from DeclarationError(mistake)

    def _compare(self, contract: Contract, kind: Kind, items: list[JsonObject]) -> None:
        """Tell the author, the first time, of items that a list has otherwise than the signature.

        The protocol allows it; a client that approved the signature does not.
        """
        compared = self._compared.setdefault((contract.digest, kind), set())
        for item in items:
            name = item[kind.identifier]
            if name in compared or contract.find(kind, name) is None:
                continue
            compared.add(name)
            if not contract.accepts(Capability.read(kind, item)):
                mistake = f"the server lists the {kind} {shown(name)!r} otherwise than its signature has it"
                self._log_once(logging.WARNING, mistake)

    def _log_once(self, level: int, message: str) -> None:
        if message not in self._logged and len(self._logged) < MAX_REPORTS:
            self._logged.add(message)
            logger.log(level, "%s", message)

    async def _admit(self, request: Request, kind: Kind, name: object) -> None:
        # What is not a name at all is refused by the SDK, whose message says so.
        if not isinstance(name, str):
            return
        if not await self._is_known(kind, name, request):
            raise _unknown(kind, name)
        if not await self._availability.is_available(kind, name, request):
            raise _unavailable(kind, name)

    async def _admit_uri(self, request: Request, uri: object) -> None:
        if not isinstance(uri, str):
            return
        generation = await self._ledger.holding_for(request)
        if uri in generation.names[Kind.RESOURCE]:
            await self._admit(request, Kind.RESOURCE, uri)
            return
        is_open = request.is_nested or generation.open & {Kind.RESOURCE, Kind.TEMPLATE}
        matches = self._framework.matches
        if not is_open and not any(matches(text, uri) for text in generation.names[Kind.TEMPLATE]):
            raise _unknown(Kind.RESOURCE, uri)
        if not await self._availability.is_address_available(uri, matches, request):
            raise _unavailable(Kind.RESOURCE, uri)

    async def _is_known(self, kind: Kind, name: str, request: Request) -> bool:
        """Whether the signature has a name. Where anything may appear, another name for a thing may not.

        Inside the server anything may appear: a tool of the signature answers for what it calls.
        """
        generation = await self._ledger.holding_for(request)
        if name in generation.names[kind]:
            return True
        is_open = request.is_nested or kind in generation.open
        has_checks = kind in self._availability.kinds
        return is_open and not (has_checks and await self._framework.is_alias(kind, name, request))

    async def _admit_subscriptions(self, request: Request) -> None:
        wanted = request.params.get("notifications")
        uris = wanted.get("resourceSubscriptions") if isinstance(wanted, dict) else None
        for uri in uris if isinstance(uris, list) else ():
            await self._admit_uri(request, uri)

    async def _admit_completion(self, request: Request) -> None:
        reference = request.params.get("ref")
        if not isinstance(reference, dict):
            return
        if reference.get("type") == "ref/prompt":
            await self._admit(request, Kind.PROMPT, reference.get("name"))
            return
        uri = reference.get("uri")
        generation = await self._ledger.holding_for(request)
        if isinstance(uri, str) and uri in generation.names[Kind.TEMPLATE]:
            await self._admit(request, Kind.TEMPLATE, uri)
        else:
            await self._admit_uri(request, uri)


def _unknown(kind: Kind, name: str) -> Exception:
    message = f"{kind} '{shown(name)}' is not in the signature of this server"
    return refused(INVALID_PARAMS, message, reason="unknown", kind=kind, name=shown(name))


def _unavailable(kind: Kind, name: str) -> Exception:
    message = f"{kind} '{shown(name)}' is not available to you now"
    return refused(INVALID_PARAMS, message, reason="unavailable", kind=kind, name=shown(name))
