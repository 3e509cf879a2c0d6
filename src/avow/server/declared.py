"""`declare`: one line that gives a server its signature, and the handle for everything else."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer

from avow.core.canonical import JsonObject
from avow.core.capability import Kind
from avow.core.variants import Variant
from avow.errors import DeclarationError
from avow.server.answering import Answers
from avow.server.availability import Availability, Check
from avow.server.configuration import ServerConfiguration
from avow.server.enforcing import Enforcement
from avow.server.fast import FastFramework
from avow.server.frameworks import Framework
from avow.server.ledger import Ledger, check_variants
from avow.server.lowlevel import LowlevelFramework
from avow.server.official import OfficialFramework
from avow.server.seam import Seam, lowlevel_of, serve_subscriptions
from avow.server.telling import Audience

Function = TypeVar("Function", bound=Callable[..., Any])
T = TypeVar("T")


def declare(
    server: Any, *, strict: bool = False, incomplete: Iterable[str] = (), configuration: Any = None
) -> "Declared":
    """Make a server declare everything it could do, and hold it to that.

    `server` is an `MCPServer` or a low-level `Server` of mcp 2.x, or a FastMCP 4 server. Under `strict`,
    meant for tests, a list item outside the signature is an error of the request instead of being withheld.
    `incomplete` names the kinds that cannot be enumerated (`"resources"`): clients are told, and of these
    kinds anything may appear. For open-ended resources a URI template is the better declaration.
    `configuration` is what the server needs to be told: a pydantic-settings class, parameters made with
    `argument` and `variable`, or several of these; see `avow.server.configuration`.

    Raises:
        DeclarationError: it is not such a server, it is declared already, or there is no such kind.
    """
    return Declared(server, strict=strict, incomplete=incomplete, configuration=configuration)


class Declared:
    """A server that has declared itself: possible capabilities, variants, and news for its clients."""

    def __init__(
        self, server: Any, *, strict: bool, incomplete: Iterable[str], configuration: Any = None
    ) -> None:
        """See `declare`."""
        lowlevel = lowlevel_of(server)
        self.seam = Seam.held_by("declare", lowlevel)
        self._strict = strict
        # An MCPServer serves them already, unless its author does not want them.
        self._may_serve_subscriptions = not isinstance(server, MCPServer)
        self._framework = framework_of(server)
        self._availability = Availability(strict=strict)
        self._ledger = Ledger(self._framework, self._availability, _kinds(incomplete), strict=strict)
        self._audience = Audience(lowlevel)
        self._framework.watch(self._ledger.announce)
        Answers(self._ledger).serve(self.seam)
        enforcement = Enforcement(self._ledger, self._availability, self._framework, strict=strict)
        self.seam.parts += [enforcement, self._audience]
        self._framework.attach(self.seam)
        self.configuration = ServerConfiguration.of(() if configuration is None else configuration)
        if configuration is not None:
            self.configuration.server_name = lowlevel.name
            self.seam.parts.append(self.configuration)

    def possible_tool(
        self, what: Any = None, /, *, available: Check, **options: Any
    ) -> Callable[[Function], Function]:
        """Register a tool that everybody's signature has, and lists have only while `available` says so.

        `what` is its name (or the function's); on a low-level server it is the `Tool`, and the function is
        its handler. `options` are those of the framework's own `tool` decorator.
        """
        return self._possible(Kind.TOOL, what, available, options)

    def possible_prompt(
        self, what: Any = None, /, *, available: Check, **options: Any
    ) -> Callable[[Function], Function]:
        """The same for a prompt."""
        return self._possible(Kind.PROMPT, what, available, options)

    def possible_resource(
        self, what: Any, /, *, available: Check, **options: Any
    ) -> Callable[[Function], Function]:
        """The same for a resource; `what` is its URI, or the `Resource` on a low-level server."""
        return self._possible(Kind.RESOURCE, what, available, options)

    def possible_template(
        self, what: Any, /, *, available: Check, **options: Any
    ) -> Callable[[Function], Function]:
        """The same for a resource template; `what` is its URI template, or the `ResourceTemplate`."""
        return self._possible(Kind.TEMPLATE, what, available, options)

    def restrict(self, kind: Kind | str, name: str, *, available: Check) -> None:
        """Give a check to a capability that the server registers itself; `name` is its name or URI."""
        self._availability.add(Kind(kind), name, available)
        if self._may_serve_subscriptions:
            serve_subscriptions(self.seam.server)

    def variants(self, tool: str, *variants: Variant) -> None:
        """Say what a tool promises and needs for which arguments; the first variant that fits counts.

        Raises:
            DeclarationError: a variant promises what its pattern does not select, or has no good pattern, or
                the signature was already served.
        """
        definition = _at_once(self._framework.registered_tool(tool))
        if definition is not None:
            document = definition.model_dump(by_alias=True, mode="json", exclude_none=True)
            check_variants(document, variants, strict=self._strict)
        self._ledger.declare_variants(tool, variants)

    async def availability_changed(self, *kinds: Kind | str) -> None:
        """Send `list_changed` to everybody who asked for it; without kinds, for all that have checks."""
        await self._audience.lists_changed([Kind(kind) for kind in kinds] or self._availability.kinds)

    @asynccontextmanager
    async def changing(self) -> AsyncIterator[None]:
        """Register inside what a plugin brought, and tell the clients afterwards.

        A session of the handshake era keeps its signature, hears `notifications/signature/changed`, and
        moves to the new one when it asks for it; new sessions begin with it. On 2026-07-28 there are no
        sessions to tell apart, so what was served there stays as long as the process lives, and nothing
        is sent: start the process again to bring the plugin to those clients.
        """
        with self._ledger.changing():
            yield
        await self._audience.signature_changed()

    def _possible(
        self, kind: Kind, what: Any, available: Check, options: JsonObject
    ) -> Callable[[Function], Function]:
        def decorate(function: Function) -> Function:
            name, registered = self._framework.register(kind, what, function, options)
            self.restrict(kind, name, available=available)
            decorated: Function = registered
            return decorated

        return decorate


def framework_of(server: Any) -> Framework:
    """How Avow looks at the capabilities of a server that `lowlevel_of` knows."""
    if isinstance(server, MCPServer):
        return OfficialFramework(server)
    return LowlevelFramework(server) if isinstance(server, Server) else FastFramework(server)


def _kinds(collections: Iterable[str]) -> frozenset[Kind]:
    known = {kind.collection: kind for kind in Kind}
    named = {collections} if isinstance(collections, str) else set(collections)
    unknown = sorted(named - known.keys())
    if unknown:
        raise DeclarationError(
            f"{unknown[0]!r} is no kind of capability", hint=f"the kinds are {', '.join(known)}"
        )
    return frozenset(known[name] for name in named)


def _at_once(question: Awaitable[T]) -> T | None:
    """The answer, if it is there without waiting: a registration is not a coroutine."""
    steps = question.__await__()
    try:
        next(steps)
    except StopIteration as finished:
        answer: T = finished.value
        return answer
    steps.close()
    return None
