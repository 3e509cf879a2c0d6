"""FastMCP 4: components from providers, seen through transforms, authorization and its own middleware."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from pydantic import AnyUrl

from avow.core.canonical import JsonObject
from avow.core.capability import Kind
from avow.server.frameworks import Announce, Author, intercept, name_of, parsed_template, uri_of
from avow.server.seam import Request, Seam

if TYPE_CHECKING:
    from fastmcp import FastMCP
    from fastmcp.utilities.versions import VersionSpec
    from pydantic import BaseModel

_EXPRESSION: Final = re.compile(r"\{[^{}]+\}")
_LISTERS = {
    Kind.TOOL: "list_tools",
    Kind.PROMPT: "list_prompts",
    Kind.RESOURCE: "list_resources",
    Kind.TEMPLATE: "list_resource_templates",
}


class FastFramework:
    """Capabilities of a `FastMCP` server, mounted ones, disabled ones and those for other people included."""

    def __init__(self, server: "FastMCP[Any]") -> None:
        """Look at this server."""
        self._server = server

    async def definitions(self, kind: Kind, request: Request) -> "Sequence[BaseModel]":  # noqa: ARG002
        """Everything that a list could show to somebody.

        Of the server's middleware only the one that writes out `$ref` is applied: others may remember what
        they see, and would hand out to one person what is meant for another.
        """
        from fastmcp.server.providers.aggregate import AggregateProvider
        from fastmcp.utilities.versions import dedupe_with_versions

        from avow.server.nested import is_looking

        lister = _LISTERS[kind]
        looking = is_looking.set(True)
        try:
            shown = await getattr(self._server, lister)(run_middleware=False)
            every = await getattr(AggregateProvider, lister)(self._server)
        finally:
            is_looking.reset(looking)
        universe = await self._written_out(kind, _joined(kind, shown, every))
        return [_model(kind, one) for one in dedupe_with_versions(universe, lambda one: _key(kind, one))]

    async def knows(self, kind: Kind, name: str, request: Request) -> bool:  # noqa: ARG002
        """Whether it is what FastMCP lists it by.

        A tool of an app can be called by a digest, too, which stands in no list and goes another way.
        """
        found = await (self._server.get_tool(name) if kind is Kind.TOOL else self._server.get_prompt(name))
        return found is not None and found.name == name

    async def is_alias(self, kind: Kind, name: str, request: Request) -> bool:
        """Whatever FastMCP does not list by this name."""
        return not await self.knows(kind, name, request)

    async def called_tool(self, name: str, request: Request) -> "BaseModel | None":
        """The version of a tool that the call names, else the newest."""
        tool = await self._server.get_tool(name, version=_version(request))
        if tool is None or tool.name != name:
            return None
        (written,) = await self._written_out(Kind.TOOL, [tool])
        return _model(Kind.TOOL, written)

    def attach(self, seam: Seam) -> None:
        """See `nested`."""
        from avow.server.nested import attach

        attach(self._server, seam, _document)

    async def _written_out(self, kind: Kind, components: Sequence[Any]) -> Sequence[Any]:
        from fastmcp.server.middleware import MiddlewareContext
        from fastmcp.server.middleware.dereference import DereferenceRefsMiddleware

        for middleware in self._server.middleware:
            if isinstance(middleware, DereferenceRefsMiddleware):
                question: MiddlewareContext[Any] = MiddlewareContext(message={}, method=kind.list_method)
                components = await middleware(question, _giving(components))
        return components

    def register(self, kind: Kind, what: object, function: Author, options: JsonObject) -> tuple[str, Any]:
        """Register a function as FastMCP's decorators do."""
        match kind:
            case Kind.TOOL:
                name = name_of(what, function)
                return name, self._server.tool(name=name, **options)(function)
            case Kind.PROMPT:
                name = name_of(what, function)
                return name, self._server.prompt(name=name, **options)(function)
            case Kind.RESOURCE | Kind.TEMPLATE:
                uri = uri_of(kind, what)
                return _written(uri), self._server.resource(uri, **options)(function)

    def watch(self, announce: Announce) -> None:
        """Watch the provider that every decorator of the server registers with, and new providers."""

        def tool(component: object) -> None:
            announce(Kind.TOOL, _named(component, "name"))

        def prompt(component: object) -> None:
            announce(Kind.PROMPT, _named(component, "name"))

        def resource(component: object) -> None:
            uri = _written(_named(component, "uri_template", "uri"))
            announce(Kind.TEMPLATE if "{" in uri else Kind.RESOURCE, uri)

        def provider(provider: object, **_: Any) -> None:
            announce(None, type(provider).__name__)

        local = self._server.local_provider
        intercept(local, "add_tool", tool)
        intercept(local, "add_prompt", prompt)
        intercept(local, "add_resource", resource)
        intercept(local, "add_template", resource)
        intercept(self._server, "add_provider", provider)

    async def registered_tool(self, name: str) -> "BaseModel | None":
        """The tool with that name, where the server holds it itself."""
        tool = await self._server.local_provider.get_tool(name)
        return None if tool is None else tool.to_mcp_tool(name=name)

    def is_template(self, text: str) -> bool:
        """As FastMCP reads templates, which has wildcards, or the SDK, whose templates a proxy may bring."""
        from fastmcp.resources.template import build_regex

        is_whole = not {"{", "}"} & set(_EXPRESSION.sub("", text))
        return parsed_template(text) is not None or (is_whole and build_regex(text) is not None)

    def matches(self, template: str, uri: str) -> bool:
        """As FastMCP's templates decide."""
        from fastmcp.resources.template import match_uri_template

        return match_uri_template(uri, template) is not None


def _named(component: object, *members: str) -> str:
    from fastmcp.decorators import get_fastmcp_meta

    # A function carries what its decorator was told; a component says it itself.
    told = get_fastmcp_meta(component)
    said = (
        getattr(source, member, None) for source in (told, component) for member in (*members, "__name__")
    )
    return next((str(name) for name in said if name), "?")


def _written(uri: str) -> str:
    """A URI as FastMCP writes it; templates stay as they are."""
    return uri if "{" in uri else str(AnyUrl(uri))


def _key(kind: Kind, component: Any) -> str:
    match kind:
        case Kind.TOOL | Kind.PROMPT:
            return str(component.name)
        case Kind.RESOURCE:
            return str(component.uri)
        case Kind.TEMPLATE:
            return str(component.uri_template)


def _model(kind: Kind, component: Any) -> "BaseModel":
    name = _key(kind, component)
    model: BaseModel
    match kind:
        case Kind.TOOL:
            model = component.to_mcp_tool(name=name)
        case Kind.PROMPT:
            model = component.to_mcp_prompt(name=name)
        case Kind.RESOURCE:
            model = component.to_mcp_resource(uri=name)
        case Kind.TEMPLATE:
            model = component.to_mcp_template(uri_template=name)
    return model


def _document(kind: Kind, component: Any) -> JsonObject:
    return _model(kind, component).model_dump(by_alias=True, mode="json", exclude_none=True)


def _version(request: Request) -> "VersionSpec | None":
    """The version that a call names. Inside the server it may be a range; of clients FastMCP takes texts."""
    from fastmcp.utilities.versions import VersionSpec

    meta = request.params.get("_meta")
    told = meta.get("fastmcp") if isinstance(meta, dict) else None
    version = told.get("version") if isinstance(told, dict) else None
    if isinstance(version, dict) and request.is_nested:
        return VersionSpec(**version)
    return VersionSpec(eq=version) if isinstance(version, str) and version else None


def _joined(kind: Kind, first: Sequence[Any], rest: Sequence[Any]) -> list[Any]:
    """The first, and what only the rest has; versions of one name stay together."""
    known = {_key(kind, one) for one in first}
    return [*first, *(one for one in rest if _key(kind, one) not in known)]


def _giving(components: Sequence[Any]) -> Any:
    async def listed(_: Any) -> Sequence[Any]:
        return components

    return listed
