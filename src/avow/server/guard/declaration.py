"""Minimal declaration: what a server says it can do is what somebody who asks would find."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from mcp_types import ListResourceTemplatesResult, PaginatedRequestParams, ServerCapabilities

from avow.core.canonical import JsonObject
from avow.core.capability import Kind
from avow.core.severity import Severity
from avow.core.snapshot import Era
from avow.errors import DeclarationError
from avow.protocol.events import event
from avow.protocol.gate.refusal import Refusal
from avow.protocol.messages import METHOD_NOT_FOUND
from avow.server.guard.catalogue import HOLDERS, Catalogue
from avow.server.guard.sessions import session_of
from avow.server.guard.trail import Trail
from avow.server.seam import HANDSHAKES, Part, Request, SdkContext, SdkServer

LISTED: Final = ("tools", "prompts", "resources")
_LISTS: Final = {kind.list_method: kind for kind in Kind}
_HANDLERS: Final = {
    "tools": ("tools/list", "tools/call"),
    "prompts": ("prompts/list", "prompts/get"),
    "resources": ("resources/list", "resources/read"),
    "logging": ("logging/setLevel",),
    "completions": ("completion/complete",),
    "tasks": ("tasks/get",),
}
_SUBSCRIBING: Final = ("resources/subscribe", "resources/unsubscribe")
_UI: Final = "io.modelcontextprotocol/ui"


class Visibility(Protocol):
    """A rule about who may see what."""

    async def visible(self, kind: Kind, definitions: list[JsonObject], request: Request) -> list[JsonObject]:
        """Those of some capabilities that the sender of a request may use."""
        ...


@dataclass(frozen=True, slots=True)
class Promises:
    """What an author says beyond what can be seen: lists that change or fill later, subscriptions."""

    list_changed: frozenset[str] = frozenset()
    subscribe: bool | None = None
    may_be_empty: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, list_changed: Collection[str], subscribe: bool | None, may_be_empty: Collection[str]
    ) -> "Promises":
        """Check the words.

        Raises:
            DeclarationError: one of them is no list of a server.
        """
        named = [
            frozenset([names] if isinstance(names, str) else names) for names in (list_changed, may_be_empty)
        ]
        for unknown in sorted(named[0] | named[1]):
            if unknown not in LISTED:
                raise DeclarationError(
                    f"{unknown!r} is no list of a server", hint=f"the lists are {', '.join(LISTED)}"
                )
        return cls(named[0], subscribe, named[1])


@dataclass
class Declaration(Part):
    """Trims what the SDK declares, and keeps what is not declared from being served."""

    after_methods = HANDSHAKES | _LISTS.keys()

    server: SdkServer
    catalogue: Catalogue
    promises: Promises
    rules: tuple[Visibility, ...]
    trail: Trail
    _told: set[str] = field(default_factory=set)

    async def before(self, request: Request) -> None:
        """Refuse the methods of what was not declared in this session."""
        declared = session_of(request).declared
        holder = request.method.partition("/")[0]
        if (
            declared is not None
            and holder in LISTED
            and holder not in declared
            and not request.is_notification
        ):
            raise self._missing(request)

    async def after(self, request: Request, result: JsonObject) -> None:
        """Declare what there is, or answer as a server without the capability does."""
        kind = _LISTS.get(request.method)
        if request.is_handshake:
            await self._trim(request, result)
        elif kind is None or session_of(request).declared is not None:
            return
        elif _is_all_and_empty(kind, request, result) and HOLDERS[kind] not in await self._offered(request):
            raise self._missing(request)

    def check(self, declared: ServerCapabilities | None = None) -> None:
        """Hold what the server declares, or is told to declare, against its handlers.

        Raises:
            DeclarationError: it names the capability and the handler that is not there.
        """
        capabilities = declared or self.server.create_initialization_options().capabilities
        document = capabilities.model_dump(by_alias=True, mode="json", exclude_none=True)
        needs = [(holder, methods) for holder, methods in _HANDLERS.items() if holder in document]
        if (document.get("resources") or {}).get("subscribe") is True:
            needs.append(("resources.subscribe", _SUBSCRIBING))
        for holder, methods in needs:
            self._require(holder, methods)
        for holder in sorted(self.promises.list_changed):
            self._require(f"{holder}.listChanged", _HANDLERS[holder])
        if self.promises.subscribe and not self._serves("subscriptions/listen"):
            self._require("resources.subscribe", _SUBSCRIBING)
        if self._serves("resources/list") and not self._serves("resources/templates/list"):
            # Whoever declares resources has templates, too; most who have none forget to say so.
            self.server.add_request_handler("resources/templates/list", PaginatedRequestParams, _no_templates)

    def _require(self, holder: str, methods: Iterable[str]) -> None:
        for method in methods:
            if not self._serves(method):
                raise DeclarationError(
                    f"the server {self.server.name!r} declares {holder!r} and has no handler for {method!r}",
                    hint="register the handler, or do not declare the capability",
                )

    def _serves(self, method: str) -> bool:
        return self.server.get_request_handler(method) is not None

    async def _offered(self, request: Request) -> frozenset[str]:
        """The capabilities of which there is something for whoever asks.

        A declared server's signature is the same for everybody, so what it has counts for everybody.
        """
        declaration = self.catalogue.declaration
        found = set(self.promises.may_be_empty)
        found |= {HOLDERS[kind] for kind in declaration.open_kinds} if declaration else set()
        for kind, holder in HOLDERS.items():
            if holder not in found and self._serves(kind.list_method):
                definitions = await self.catalogue.definitions(kind, request)
                for rule in self.rules if declaration is None else ():
                    definitions = await rule.visible(kind, definitions, request)
                found |= {holder} if definitions else set()
        return frozenset(found)

    async def _trim(self, request: Request, result: JsonObject) -> None:
        before = dict(result.get("capabilities") or {})
        offered = await self._offered(request)
        kept: JsonObject = {}
        for name, value in before.items():
            if name in LISTED:
                if name in offered:
                    kept[name] = self._flags(name, value, request.era)
            elif name in _HANDLERS:
                if all(map(self._serves, _HANDLERS[name])):
                    kept[name] = value
            elif name == "extensions" and isinstance(value, dict):
                kept[name] = await self._extensions(value, request)
            else:
                kept[name] = value
        if not kept.keys() & {"prompts", "resources"}:
            kept.pop("completions", None)
        result["capabilities"] = {
            name: value for name, value in kept.items() if value or name not in ("experimental", "extensions")
        }
        self._tell(before, result["capabilities"])
        session = session_of(request)
        if session.has_handshake and session.era is Era.LEGACY:
            session.declared = frozenset(kept)

    def _flags(self, holder: str, value: Any, era: Era) -> Any:
        """The flags of a capability; what nobody said is implemented is off."""
        if not isinstance(value, dict):
            return value
        flags = dict(value)
        if flags.get("listChanged"):
            flags["listChanged"] = holder in self.promises.list_changed | self._changing
        if flags.get("subscribe"):
            can = all(map(self._serves, _SUBSCRIBING))
            flags["subscribe"] = can if self.promises.subscribe is None else self.promises.subscribe
        if self.promises.list_changed & {holder} and era is Era.LEGACY:
            flags["listChanged"] = True
        return flags

    @property
    def _changing(self) -> frozenset[str]:
        declaration = self.catalogue.declaration
        return frozenset(HOLDERS[kind] for kind in declaration.changing_kinds) if declaration else frozenset()

    async def _extensions(self, value: JsonObject, request: Request) -> JsonObject:
        """FastMCP declares user interfaces whether a tool has one or not."""
        if _UI not in value or value[_UI] or await self._has_interface(request):
            return value
        return {name: settings for name, settings in value.items() if name != _UI}

    async def _has_interface(self, request: Request) -> bool:
        tools = await self.catalogue.definitions(Kind.TOOL, request)
        metas = (tool.get("_meta") for tool in tools)
        return any(key.startswith("ui") for meta in metas if isinstance(meta, dict) for key in meta)

    def _missing(self, request: Request) -> Exception:
        happened = event(
            "undeclared_refused", Severity.MODERATE, name=request.method, detail="it is not declared"
        )
        refusal = Refusal(METHOD_NOT_FOUND, "Method not found", happened, request.method)
        return self.trail.refuse(refusal, session_of(request))

    def _tell(self, before: JsonObject, after: JsonObject) -> None:
        """Tell the author once of what is left out."""
        for name in sorted(before.keys() - after.keys() - self._told):
            self._told.add(name)
            happened = event("declaration_trimmed", Severity.INFO, name=name, detail="there is none of it")
            self.trail.tell(happened)


def _is_all_and_empty(kind: Kind, request: Request, result: JsonObject) -> bool:
    is_all = result.get("nextCursor") is None and request.params.get("cursor") is None
    return is_all and not result.get(kind.collection)


async def _no_templates(_: SdkContext, __: PaginatedRequestParams) -> ListResourceTemplatesResult:
    return ListResourceTemplatesResult(resource_templates=[])
