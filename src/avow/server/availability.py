"""Who may use a capability now: the author's checks, and what a check gets to know."""

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from avow.core.canonical import JsonObject, JsonValue
from avow.core.capability import Kind
from avow.core.snapshot import Era
from avow.protocol.events import shown
from avow.protocol.messages import INTERNAL_ERROR
from avow.server.addresses import LONGEST, could_match, readings, spelled
from avow.server.seam import Request, refused

logger = logging.getLogger("avow.server")


@dataclass(frozen=True, slots=True)
class AvailabilityContext:
    """Who asks, as far as the transport has verified it, and in which protocol.

    It has no connection, session or request: on 2026-07-28 a list may differ between two people and not
    between two connections of one. Without authorization `subject` and `client_id` are None and `scopes`
    is empty. `client_info` is what the client says about itself, which nobody has verified.
    """

    era: Era
    protocol_version: str
    subject: str | None = None
    client_id: str | None = None
    scopes: frozenset[str] = frozenset()
    claims: Mapping[str, JsonValue] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    client_info: JsonObject | None = field(default=None, hash=False)

    @classmethod
    def of(cls, request: Request) -> "AvailabilityContext":
        """What the SDK knows about the sender of a request."""
        token = request.token
        claims = MappingProxyType(dict(token.claims or {}) if token else {})
        said = claims.get("sub")
        client = request.sdk.session.client_params
        return cls(
            request.era,
            request.protocol_version,
            (token.subject or (said if isinstance(said, str) else None)) if token else None,
            token.client_id if token else None,
            frozenset(token.scopes) if token else frozenset(),
            claims,
            client.client_info.model_dump(by_alias=True, mode="json", exclude_none=True) if client else None,
        )

    @property
    def user(self) -> str | None:
        """The person on whose behalf the client acts: `subject` by another name."""
        return self.subject


Matches: TypeAlias = Callable[[str, str], bool]
"""Whether a template serves a URI."""
Check: TypeAlias = Callable[[AvailabilityContext], bool | Awaitable[bool]]


class Availability:
    """The checks of a server's capabilities; one without a check is always available."""

    def __init__(self, *, strict: bool) -> None:
        """Start without checks. Under `strict` a failing check is an error of the request."""
        self._strict = strict
        self._checks: dict[Kind, dict[str, Check]] = {kind: {} for kind in Kind}
        self._addresses: dict[str, set[str]] = {}

    def add(self, kind: Kind, name: str, check: Check) -> None:
        """Make a capability depend on a check, in place of the one it has."""
        self._checks[kind][name] = check
        if kind is Kind.RESOURCE:
            self._addresses.setdefault(spelled(name), set()).add(name)

    def names(self, kind: Kind) -> frozenset[str]:
        """The capabilities of a kind that have a check."""
        return frozenset(self._checks[kind])

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds that have a check at all."""
        return tuple(kind for kind in Kind if self._checks[kind])

    async def is_available(self, kind: Kind, name: str, request: Request) -> bool:
        """Whether the sender of a request may use a capability now."""
        check = self._checks[kind].get(name)
        return check is None or await self._ask(kind, name, check, AvailabilityContext.of(request))

    async def unavailable(self, kind: Kind, names: Iterable[str], request: Request) -> frozenset[str]:
        """Those of the names that the sender of a request may not use now."""
        checks = self._checks[kind]
        if not checks:
            return frozenset()
        context = AvailabilityContext.of(request)
        asked = [(name, checks[name]) for name in names if name in checks]
        return frozenset([name for name, check in asked if not await self._ask(kind, name, check, context)])

    async def is_address_available(self, uri: str, matches: Matches, request: Request) -> bool:
        """Whether everything that a URI could lead to is available, however the URI is spelled.

        Which of several templates the server takes is its own business: each must be open.
        """
        templates = self._checks[Kind.TEMPLATE]
        if not templates and not self._addresses:
            return True
        if len(uri) > LONGEST:
            return False
        possible = readings(uri)
        resources = {name for each in possible for name in self._addresses.get(each, ())}
        served = [text for text in templates if could_match(text, possible, matches)]
        return not (
            await self.unavailable(Kind.RESOURCE, resources, request)
            or await self.unavailable(Kind.TEMPLATE, served, request)
        )

    async def _ask(self, kind: Kind, name: str, check: Check, context: AvailabilityContext) -> bool:
        try:
            answer = check(context)
            return bool(await answer) if inspect.isawaitable(answer) else bool(answer)
        except Exception as exc:
            # What cannot be checked is not handed out.
            logger.exception("the availability check of %s %r failed; it stays unavailable", kind, name)
            if not self._strict:
                return False
            message = f"the availability check of {kind} '{shown(name)}' failed: {type(exc).__name__}"
            raise refused(INTERNAL_ERROR, message, reason="check_failed", kind=kind, name=name) from exc
