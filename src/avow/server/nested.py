"""Inside a FastMCP server: tools that hand out tools, resources and prompts, and servers inside servers.

None of that passes the seam, which stands at the wire, and all of it passes FastMCP's middleware. So whatever
the seam has not seen is held to the same rules there, on behalf of whoever sent the request.
"""

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fastmcp.exceptions import AuthorizationError
from fastmcp.server.dependencies import fastmcp_request_ctx
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from mcp.shared.exceptions import MCPError

from avow.core.canonical import JsonObject
from avow.core.capability import Kind
from avow.server.seam import Part, Request, Seam

if TYPE_CHECKING:
    from fastmcp import FastMCP

Write: TypeAlias = Callable[[Kind, Any], JsonObject]
"""Writes a component as it would stand in a list."""

_LISTS: Final = {kind.list_method: kind for kind in Kind}
_USES: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
is_looking: Final[ContextVar[bool]] = ContextVar("avow_is_looking", default=False)
"""Whether it is Avow that wants to see everything there is, for nobody in particular."""
_entered: Final[ContextVar[tuple[Seam, Request] | None]] = ContextVar("avow_entered", default=None)
"""The seam that the request of this context has passed."""


def attach(server: "FastMCP[Any]", seam: Seam, write: Write) -> None:
    """Hold what happens inside a server to the parts of its seam.

    The middleware is the outermost, so that no cache hands out what was meant for somebody else.
    """
    if not any(isinstance(each, Nested) for each in server.middleware):
        seam.parts.append(_Entrance(seam))
        server.middleware.insert(0, Nested(seam, write))


class _Entrance(Part):
    """Notes what the seam has let in."""

    before_methods = frozenset(_LISTS.keys() | _USES.keys())

    def __init__(self, seam: Seam) -> None:
        self._seam = seam

    async def before(self, request: Request) -> None:
        _entered.set((self._seam, request))


class Nested(Middleware):
    """Asks those parts of a seam that mind who gets at what, wherever the seam itself was not asked."""

    def __init__(self, seam: Seam, write: Write) -> None:
        """Ask the parts of this seam."""
        self._seam = seam
        self._write = write

    async def __call__(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        """Refuse a use before it happens, and leave out of a list what is not for the sender."""
        request = self._request(context)
        if request is None:
            return await call_next(context)
        kind = _LISTS.get(request.method)
        if kind is not None:
            return await self._visible(kind, await call_next(context), request)
        await self._admit(request)
        return await call_next(context)

    async def check_resource_access(self, context: MiddlewareContext[Any]) -> None:
        """Refuse as FastMCP's own rules do, for whoever asks about a resource without reading it."""
        request = self._request(context)
        if request is not None:
            try:
                await self._admit(request)
            except MCPError as refused:
                raise AuthorizationError(refused.error.message) from refused

    async def _admit(self, request: Request) -> None:
        for part in self._seam.parts:
            if part.minds_nested and (part.before_methods is None or request.method in part.before_methods):
                await part.before(request)

    async def _visible(self, kind: Kind, components: Sequence[Any], request: Request) -> Sequence[Any]:
        left = documents = [self._write(kind, component) for component in components]
        for part in self._seam.parts:
            if part.minds_nested:
                left = await part.visible(kind, left, request)
        kept = {id(document) for document in left}
        return [one for one, document in zip(components, documents, strict=True) if id(document) in kept]

    def _request(self, context: MiddlewareContext[Any]) -> Request | None:
        """What is asked for inside, as a request of its own; None for what the seam has seen.

        Also for what belongs to no request at all, and when it is Avow itself that looks.
        """
        method, wire = context.method, fastmcp_request_ctx.get()
        if wire is None or is_looking.get() or (method not in _LISTS and method not in _USES):
            return None
        entered = _entered.get()
        if entered is not None and entered[0] is self._seam and _is_same(entered[1], context):
            return None
        params: JsonObject = {}
        if method in _USES:
            message = context.message
            params = {_USES[method]: str(getattr(message, _USES[method])), "_meta": dict(message.meta or {})}
        return replace(Request.of(wire._srctx), method=method, params=params, is_nested=True)


def _is_same(entered: Request, context: MiddlewareContext[Any]) -> bool:
    if entered.method != context.method:
        return False
    member, message = _USES.get(entered.method), context.message
    return member is None or (
        entered.params.get(member) == str(getattr(message, member))
        and _version(entered.params.get("_meta")) == _version(message.meta)
    )


def _version(meta: Any) -> Any:
    told = meta.get("fastmcp") if isinstance(meta, dict) else None
    return told.get("version") if isinstance(told, dict) else None
