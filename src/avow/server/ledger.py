"""Which signature holds for whom: one per session in the handshake era, one per process on 2026-07-28."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import anyio

from avow.core.canonical import JsonObject
from avow.core.capability import Kind
from avow.core.snapshot import Era
from avow.core.variants import Variant, VariantProblem, problems, with_variants
from avow.errors import DeclarationError
from avow.protocol.messages import INTERNAL_ERROR
from avow.server.availability import Availability
from avow.server.frameworks import Framework
from avow.server.generation import Generation
from avow.server.seam import Request, refused

logger = logging.getLogger("avow.server")

_STATE: Final = "dev.avow/signature"


class Ledger:
    """Settles the signature when it is first needed, and remembers what each session was told.

    From then on nothing new can be registered, except inside `changing`. After that, new sessions get the
    new signature, and a session that is already there keeps its own until it asks for the signature again.
    Requests without a session, those of 2026-07-28, keep the first one as long as the process lives.
    """

    def __init__(
        self, framework: Framework, availability: Availability, open_kinds: frozenset[Kind], *, strict: bool
    ) -> None:
        """Keep the books of one server."""
        self._variants: dict[str, tuple[Variant, ...]] = {}
        self._framework = framework
        self._availability = availability
        self.open_kinds = open_kinds
        self._strict = strict
        self._newest: Generation | None = None
        self._first: Generation | None = None
        self._is_changing = False
        self._settling = anyio.Lock()

    async def open_session(self, request: Request) -> Generation:
        """The signature that a session gets at its beginning, or when it asks for it."""
        newest = await self._settled(request)
        if request.era is Era.MODERN:
            return self._first or newest
        request.connection.state[_STATE] = newest
        return newest

    async def holding_for(self, request: Request) -> Generation:
        """The signature that the sender of a request is held to."""
        held = request.connection.state.get(_STATE)
        if isinstance(held, Generation):
            return held
        newest = await self._settled(request)
        return self._first or newest

    def is_mistake(self, kind: Kind, name: str) -> bool:
        """Whether nobody has declared a capability that a list has, not even for later sessions."""
        if self._newest is None or self._is_changing:
            return False
        return name not in self._newest.names[kind]

    def announce(self, kind: Kind | None, name: str) -> None:
        """Somebody registers a capability, or something that brings some (`kind` is None).

        Raises:
            DeclarationError: the signature, which does not have it, was already served.
        """
        known = self._newest is not None and kind is not None and name in self._newest.names[kind]
        if not known and kind not in self.open_kinds:
            self._refuse_late(f"the {kind or 'provider'} {name!r} is registered")

    def declare_variants(self, tool: str, variants: tuple[Variant, ...]) -> None:
        """Give a tool its variants, in place of those it has.

        Raises:
            DeclarationError: the signature was already served.
        """
        self._refuse_late(f"variants of the tool {tool!r} are declared")
        self._variants[tool] = variants

    def _refuse_late(self, what: str) -> None:
        if self._newest is not None and not self._is_changing:
            raise DeclarationError(
                f"{what} after the signature was served without it",
                hint="register everything before the server runs and let availability decide who sees it; "
                "when the set of plugins really changes, register inside `async with avowed.changing()`",
            )

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Allow registrations inside; the next session gets a signature with them."""
        self._is_changing = True
        try:
            yield
        finally:
            self._is_changing = False
            self._newest = None

    async def _settled(self, request: Request) -> Generation:
        if self._newest is not None:
            return self._newest
        async with self._settling:
            if self._newest is None:
                self._newest = await self._settle(request)
                self._first = self._first or self._newest
        return self._newest

    async def _settle(self, request: Request) -> Generation:
        try:
            models = {kind: await self._framework.definitions(kind, request) for kind in Kind}
            settled = Generation.of(models, dict(self._variants), self.open_kinds)
            self._check(settled)
        except DeclarationError as exc:
            logger.exception("the server cannot declare itself: %s", exc.message)
            raise refused(INTERNAL_ERROR, f"this server cannot declare itself: {exc.message}") from exc
        return settled

    def _check(self, generation: Generation) -> None:
        for kind in Kind:
            missing = sorted(self._availability.names(kind) - generation.names[kind])
            if missing:
                raise DeclarationError(
                    f"the {kind} {missing[0]!r} has an availability check but is not registered"
                )
        for template in generation.names[Kind.TEMPLATE]:
            if not self._framework.is_template(template):
                raise DeclarationError(f"{template!r} is not a URI template", hint="see RFC 6570")
        tools: Mapping[str, JsonObject] = {tool["name"]: tool for tool in generation.definitions[Kind.TOOL]}
        for name, variants in self._variants.items():
            if name not in tools:
                raise DeclarationError(f"the tool {name!r} has variants but is not registered")
            check_variants(tools[name], variants, strict=self._strict)


def check_variants(tool: JsonObject, variants: tuple[Variant, ...], *, strict: bool) -> None:
    """Hold a tool's variants against the tool; under `strict` those that no call meets are an error too.

    Raises:
        DeclarationError: it names the tool, the variant and what is wrong.
    """
    found = problems(with_variants(tool, variants))
    for problem in found:
        if strict or not problem.is_harmless:
            raise DeclarationError(
                _sentence(tool, problem), hint="see `resolvedVariants` in the documentation of avow.server"
            )
    for problem in found:
        logger.warning("%s", _sentence(tool, problem))


def _sentence(tool: JsonObject, problem: VariantProblem) -> str:
    return f"the tool {tool['name']!r}: {problem}"
