"""What Avow asks of a server framework, whichever it is."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from typing import Any, Protocol, TypeAlias

from mcp.shared.uri_template import UriTemplate
from pydantic import BaseModel

from avow.core.canonical import JsonObject
from avow.core.capability import Kind
from avow.errors import DeclarationError
from avow.server.seam import Request, Seam

Announce: TypeAlias = Callable[[Kind | None, str], None]
"""Somebody is about to register a capability, or what has some (None); raises when it is too late."""

Author: TypeAlias = Callable[..., Any]
"""A function of the server's author."""


class Framework(Protocol):
    """A server framework, as far as its capabilities go."""

    async def definitions(self, kind: Kind, request: Request) -> Sequence[BaseModel]:
        """Every capability of a kind that the server could ever list, as the SDK's models."""
        ...

    async def knows(self, kind: Kind, name: str, request: Request) -> bool:
        """Whether a tool or prompt goes by this name, and not by another that leads to the same."""
        ...

    async def is_alias(self, kind: Kind, name: str, request: Request) -> bool:
        """Whether the framework might take a name for that of something which goes by another."""
        ...

    async def called_tool(self, name: str, request: Request) -> BaseModel | None:
        """The definition of the tool that a call would run, by that name and what else the call says."""
        ...

    def attach(self, seam: Seam) -> None:
        """Hold what capabilities of the server do with one another to the parts of a seam."""
        ...

    def register(self, kind: Kind, what: object, function: Author, options: JsonObject) -> tuple[str, Any]:
        """Register an author's function; returns its name and what takes the function's place."""
        ...

    def watch(self, announce: Announce) -> None:
        """Call `announce` before anything is registered from now on."""
        ...

    def registered_tool(self, name: str) -> Awaitable[BaseModel | None]:
        """The definition of a tool that is registered by now."""
        ...

    def is_template(self, text: str) -> bool:
        """Whether the framework could ever serve something from this template."""
        ...

    def matches(self, template: str, uri: str) -> bool:
        """Whether the framework would serve a URI from a template."""
        ...


class PlainNames(ABC):
    """A framework in which a tool or prompt goes by its one name, and nothing goes past the seam."""

    @abstractmethod
    async def definitions(self, kind: Kind, request: Request) -> Sequence[BaseModel]:
        """Every capability of a kind that the server could ever list, as the SDK's models."""

    async def knows(self, kind: Kind, name: str, request: Request) -> bool:
        """Whether the list has it for the sender of the request."""
        return any(getattr(one, "name", None) == name for one in await self.definitions(kind, request))

    async def is_alias(self, kind: Kind, name: str, request: Request) -> bool:  # noqa: ARG002
        """Never: a name is a name here."""
        return False

    async def called_tool(self, name: str, request: Request) -> BaseModel | None:
        """The tool with that name; there are no two."""
        tools = await self.definitions(Kind.TOOL, request)
        return next((tool for tool in tools if getattr(tool, "name", None) == name), None)

    def attach(self, seam: Seam) -> None:  # noqa: B027  there is nothing to do, and that is all there is to say
        """Nothing to hold: what an author's own code does is all that goes past it."""


def uri_of(kind: Kind, what: object) -> str:
    """The URI or URI template that the author names a resource or template by.

    Raises:
        DeclarationError: it is the other kind, or no URI at all.
    """
    if not isinstance(what, str) or not what:
        raise DeclarationError(f"a possible {kind} needs its URI as the first argument")
    if ("{" in what) is not (kind is Kind.TEMPLATE):
        right = "possible_template" if "{" in what else "possible_resource"
        raise DeclarationError(f"{what!r} is not the URI of a {kind}", hint=f"declare it with {right}")
    return what


def name_of(what: object, function: Author) -> str:
    """The name of a tool or prompt: the one given, or the function's own."""
    name = what if what is not None else getattr(function, "__name__", None)
    if not isinstance(name, str) or not name or name == "<lambda>":
        raise DeclarationError("a possible tool or prompt needs a name", hint="give it as the first argument")
    return name


@lru_cache(maxsize=4096)
def parsed_template(text: str) -> UriTemplate | None:
    """The SDK's reading of a template; None when it is none."""
    try:
        return UriTemplate.parse(text)
    except ValueError:
        return None


def template_matches(template: str, uri: str) -> bool:
    """Whether the SDK takes a URI for one of a template."""
    parsed = parsed_template(template)
    return parsed is not None and parsed.match(uri) is not None


def intercept(owner: object, method: str, before: Callable[..., None]) -> None:
    """Call `before` with the arguments of each call of one object's method, ahead of the method.

    The frameworks have no event for a registration, so the instance gets its own method.
    """
    original = getattr(owner, method)

    def called(*arguments: Any, **options: Any) -> Any:
        before(*arguments, **options)
        return original(*arguments, **options)

    setattr(owner, method, called)
