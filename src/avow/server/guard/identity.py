"""Who asks, as far as the transport has verified it: nothing here comes from what a client says of itself."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from mcp.server.auth.provider import AccessToken

from avow.core.canonical import JsonValue
from avow.server.seam import Request

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Identity:
    """Who was authenticated; `method` says how: `oauth`, `mtls`, an author's own word, or nothing at all."""

    method: str = ""
    subject: str | None = None
    client_id: str | None = None
    scopes: frozenset[str] = frozenset()
    claims: Mapping[str, JsonValue] = field(default_factory=lambda: _NOTHING, hash=False)

    @property
    def is_authenticated(self) -> bool:
        """Whether anybody vouches for it."""
        return bool(self.method)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the transport knows about the sender of a request; over stdio that is nothing.

    There is no message in it: neither parameters nor `_meta`, `clientInfo` or client capabilities. Headers
    are what the client, or a proxy in front of the server, has sent: check what stands in them.
    """

    token: AccessToken | None = field(default=None, repr=False)
    certificate: str | None = None
    headers: Mapping[str, str] = field(default_factory=lambda: _NOTHING, repr=False)
    address: str | None = None

    @classmethod
    def of(cls, request: Request) -> "Evidence":
        """What the transport of a request gives."""
        scope = getattr(request.sdk.request, "scope", None)
        scope = scope if isinstance(scope, Mapping) else {}
        peer = scope.get("client")
        return cls(
            request.token,
            _certificate(scope),
            MappingProxyType(
                {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
                if "headers" in scope
                else {}
            ),
            str(peer[0]) if peer else None,
        )


Identify: TypeAlias = Callable[[Evidence], "Identity | Awaitable[Identity | None] | None"]


def authenticated(evidence: Evidence) -> Identity | None:
    """The identity that an access token or a client certificate proves; the token comes first."""
    token = evidence.token
    if token is not None:
        claims = dict(token.claims or {})
        said = claims.get("sub")
        subject = token.subject or (said if isinstance(said, str) else None)
        return Identity("oauth", subject, token.client_id, frozenset(token.scopes), MappingProxyType(claims))
    if evidence.certificate is not None:
        return Identity("mtls", subject=evidence.certificate)
    return None


async def identity_of(request: Request, identify: Identify) -> Identity:
    """Who sent a request; nobody when nothing proves it."""
    return await identity_from(Evidence.of(request), identify)


async def identity_from(evidence: Evidence, identify: Identify) -> Identity:
    """Who is behind some evidence."""
    answer = identify(evidence)
    found = await answer if inspect.isawaitable(answer) else answer
    return found if isinstance(found, Identity) else Identity()


def _certificate(scope: Mapping[str, Any]) -> str | None:
    """The name in a client certificate that the web server verified (the TLS extension of ASGI)."""
    extensions = scope.get("extensions")
    facts = extensions.get("tls") if isinstance(extensions, Mapping) else None
    if not isinstance(facts, Mapping) or facts.get("client_cert_error"):
        return None
    name = facts.get("client_cert_name")
    return name if isinstance(name, str) and name else None
