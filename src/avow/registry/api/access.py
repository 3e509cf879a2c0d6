"""Who asks, and what they may: by bearer token, or by an identity that a trusted issuer vouches for."""

import time
from dataclasses import dataclass
from typing import Final

from starlette.requests import HTTPConnection

from avow.registry import tokens
from avow.registry.api.problems import RefusedError
from avow.registry.model import Role
from avow.registry.service import Service

_BEARER: Final = "bearer "
_CHALLENGE: Final = {"www-authenticate": 'Bearer realm="avow"'}
LOOPBACK: Final = frozenset({"127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: nobody in particular without a role.

    `namespaces` are those that may be published to; None is all that the keys of the envelope can.
    """

    person: str = ""
    role: Role | None = None
    namespaces: frozenset[str] | None = None

    def may(self, role: Role) -> bool:
        """Whether the caller has a role."""
        return self.role is not None and tokens.may(self.role, role)


NOBODY: Final = Caller()


async def admit(connection: HTTPConnection, service: Service, needed: Role | None) -> Caller:
    """The caller, when they may; `needed` is None for what everybody may read.

    Raises:
        RefusedError: there are too many requests, the token is wrong, or not good for this.
    """
    caller = await _recognised(connection, service)
    if needed is None and service.settings.private:
        needed = Role.READ
    if needed is None or caller.may(needed):
        return caller
    if caller is NOBODY:
        raise RefusedError(
            401,
            f"this needs a token with the role {needed}",
            "put it into AVOW_REGISTRY_TOKEN; an administrator makes one: `avow registry token add`",
            _CHALLENGE,
        )
    raise RefusedError(403, f"this needs a token with the role {needed}, and yours is for {caller.role}")


def admit_anybody(connection: HTTPConnection, service: Service) -> Caller:
    """Nobody in particular, whatever token they have.

    Raises:
        RefusedError: there are too many requests.
    """
    address = _address(connection)
    if _is_limited(address, service):
        _take(service, service.limits.addresses.wait(address, time.monotonic()))
    return NOBODY


def _address(connection: HTTPConnection) -> str:
    return connection.client.host if connection.client else ""


def _is_limited(address: str, service: Service) -> bool:
    return service.settings.limits_loopback or address not in LOOPBACK


async def _recognised(connection: HTTPConnection, service: Service) -> Caller:
    given = connection.headers.get("authorization")
    if given is None:
        return admit_anybody(connection, service)
    address = _address(connection)
    text = given[len(_BEARER) :].strip() if given[: len(_BEARER)].lower() == _BEARER else ""
    caller = await _by_token(service, text)
    if caller is None:
        if _is_limited(address, service):
            _take(service, service.limits.failures.wait(address, time.monotonic()))
        service.metrics.count("refusals", reason="token")
        raise RefusedError(401, "this token is not valid here", headers=_CHALLENGE)
    _take(service, service.limits.tokens.wait(caller.person, time.monotonic()))
    return caller


async def _by_token(service: Service, text: str) -> Caller | None:
    if service.identities is not None and text.count(".") == 2:
        identity = await service.identities.identify(text)
        return None if identity is None else Caller(identity.person, Role.PUBLISH, identity.namespaces)
    token = await tokens.recognise(service.store, text)
    return None if token is None else Caller(token.person, token.role)


def _take(service: Service, seconds: float) -> None:
    if seconds > 0:
        service.metrics.count("refusals", reason="rate")
        raise RefusedError(
            429, "too many requests", "wait, then go on slower", {"retry-after": str(int(seconds) + 1)}
        )
