"""The low-level `Server`, whose lists and calls are handlers that its author wrote.

Possible capabilities are definitions with a handler of their own; they are put in front of the author's.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from mcp.server.context import HandlerResult
from mcp_types import (
    CallToolRequestParams,
    GetPromptRequestParams,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    Prompt,
    ReadResourceRequestParams,
    Resource,
    ResourceTemplate,
    Tool,
)
from pydantic import BaseModel, ValidationError

from avow.core.canonical import JsonObject
from avow.core.capability import Kind
from avow.errors import DeclarationError
from avow.protocol.events import shown
from avow.protocol.messages import INVALID_PARAMS
from avow.server.frameworks import Announce, Author, PlainNames, parsed_template, template_matches
from avow.server.seam import Request, SdkContext, SdkServer, refused

Handler: TypeAlias = Callable[[SdkContext, Any], Awaitable[HandlerResult]]

MAX_PAGES: Final = 1_000


@dataclass(frozen=True, slots=True)
class _Shape:
    """How the SDK types one kind."""

    definition: type[BaseModel]
    result: type[BaseModel]
    items: str
    identifier: str
    call: str
    params: type[BaseModel]
    called: str


_SHAPES: Final = {
    Kind.TOOL: _Shape(Tool, ListToolsResult, "tools", "name", "tools/call", CallToolRequestParams, "name"),
    Kind.PROMPT: _Shape(
        Prompt, ListPromptsResult, "prompts", "name", "prompts/get", GetPromptRequestParams, "name"
    ),
    Kind.RESOURCE: _Shape(
        Resource, ListResourcesResult, "resources", "uri", "resources/read", ReadResourceRequestParams, "uri"
    ),
    Kind.TEMPLATE: _Shape(
        ResourceTemplate,
        ListResourceTemplatesResult,
        "resource_templates",
        "uri_template",
        "resources/read",
        ReadResourceRequestParams,
        "uri",
    ),
}


class LowlevelFramework(PlainNames):
    """Capabilities of a low-level server: what its list handlers say, and what was declared to Avow."""

    def __init__(self, server: SdkServer) -> None:
        """Look at this server."""
        self.server = server
        self._possible: dict[Kind, dict[str, tuple[BaseModel, Handler]]] = {kind: {} for kind in Kind}
        self._wrapped: set[str] = set()
        self._listed: frozenset[str] = frozenset()
        self._announce: Announce | None = None

    async def definitions(self, kind: Kind, request: Request) -> Sequence[BaseModel]:
        """Walk through the pages of the author's list handler, as the sender of the request sees them."""
        entry = self.server.get_request_handler(kind.list_method)
        if entry is None:
            return []
        shape = _SHAPES[kind]
        found: list[BaseModel] = []
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            params = {} if cursor is None else {"cursor": cursor}
            context = replace(request.sdk, method=kind.list_method, params=params)
            answer = await entry.handler(context, PaginatedRequestParams(cursor=cursor))
            page = shape.result.model_validate(answer, by_name=False) if isinstance(answer, dict) else answer
            found.extend(getattr(page, shape.items))
            cursor = getattr(page, "next_cursor", None)
            if cursor is None:
                break
        else:
            raise DeclarationError(f"{kind.list_method} has no end: {MAX_PAGES} pages and still a cursor")
        if kind is Kind.RESOURCE:
            self._listed = frozenset(str(getattr(resource, shape.identifier)) for resource in found)
        return found

    def register(self, kind: Kind, what: object, function: Author, options: JsonObject) -> tuple[str, Any]:
        """Put a definition and its handler, `(context, params) -> result`, in front of the author's."""
        if options:
            raise DeclarationError(f"a low-level server has no option {', '.join(sorted(options))!s}")
        shape = _SHAPES[kind]
        try:
            definition = shape.definition.model_validate(what)
        except ValidationError as exc:
            raise DeclarationError(
                f"a possible {kind} of a low-level server needs its definition as the first argument",
                hint=f"pass an mcp_types.{shape.definition.__name__}",
            ) from exc
        name = str(getattr(definition, shape.identifier))
        if name in self._possible[kind]:
            raise DeclarationError(f"the {kind} {name!r} is declared twice")
        if self._announce is not None:
            self._announce(kind, name)
        self._possible[kind][name] = (definition, function)
        self._wrap(kind)
        return name, function

    def watch(self, announce: Announce) -> None:
        """Watch what is declared to Avow; what the author's own handlers list is watched in each list."""
        self._announce = announce

    async def registered_tool(self, name: str) -> BaseModel | None:
        """The tool that was declared to Avow under that name."""
        declared = self._possible[Kind.TOOL].get(name)
        return None if declared is None else declared[0]

    def is_template(self, text: str) -> bool:
        """As the SDK reads templates."""
        return parsed_template(text) is not None

    def matches(self, template: str, uri: str) -> bool:
        """As the SDK reads templates."""
        return template_matches(template, uri)

    def _wrap(self, kind: Kind) -> None:
        # Without a list of resources the SDK advertises no resources at all, templates or not.
        kinds = (kind, Kind.RESOURCE) if kind is Kind.TEMPLATE else (kind,)
        for each in kinds:
            self._wrap_list(each)
        self._wrap_call(kind)

    def _wrap_list(self, kind: Kind) -> None:
        if kind.list_method in self._wrapped:
            return
        self._wrapped.add(kind.list_method)
        shape = _SHAPES[kind]
        original = self.server.get_request_handler(kind.list_method)

        async def listing(context: SdkContext, params: PaginatedRequestParams) -> HandlerResult:
            own: HandlerResult = shape.result(**{shape.items: []})
            if original is not None:
                own = await original.handler(context, params)
            page = shape.result.model_validate(own, by_name=False) if isinstance(own, dict) else own
            if page is None or getattr(page, "next_cursor", None) is not None:
                return page
            mine = [definition for definition, _ in self._possible[kind].values()]
            return page.model_copy(update={shape.items: [*getattr(page, shape.items), *mine]})

        self.server.add_request_handler(kind.list_method, PaginatedRequestParams, listing)

    def _wrap_call(self, kind: Kind) -> None:
        shape = _SHAPES[kind]
        if shape.call in self._wrapped:
            return
        self._wrapped.add(shape.call)
        original = self.server.get_request_handler(shape.call)

        async def calling(context: SdkContext, params: Any) -> HandlerResult:
            name = str(getattr(params, shape.called))
            handler = self._handler(kind, name)
            if handler is not None:
                return await handler(context, params)
            if original is not None:
                return await original.handler(context, params)
            raise refused(INVALID_PARAMS, f"there is no {kind} '{shown(name)}'", reason="unknown", kind=kind)

        self.server.add_request_handler(shape.call, shape.params, calling)

    def _handler(self, kind: Kind, name: str) -> Handler | None:
        if kind in (Kind.TOOL, Kind.PROMPT):
            found = self._possible[kind].get(name)
            return None if found is None else found[1]
        exact = self._possible[Kind.RESOURCE].get(name)
        if exact is not None:
            return exact[1]
        # A resource of its own is let in as such, and must not lead into a template that may be closed.
        if name in self._listed:
            return None
        templates = self._possible[Kind.TEMPLATE].items()
        return next((handler for text, (_, handler) in templates if self.matches(text, name)), None)
