"""Trusted publishing: the identity token of an issuer that the operator trusts, instead of a registry token.

It says who sends, and to which namespaces they may: the key of the namespace still has to have signed.
"""

import asyncio
import time
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from avow.core.publication import read_namespace
from avow.errors import UnavailableError, UsageError

_ALGORITHMS: Final = ("RS256", "ES256", "EdDSA")
_LEEWAY: Final = 60.0
_LONGEST: Final = 16 * 1024
_LONGEST_NAME: Final = 200
_KEEP_SECONDS: Final = 3600.0
_ASK_AGAIN_SECONDS: Final = 30.0
_MOST_BYTES: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class Publisher:
    """An identity, by claims that all have to be exactly these, and the namespace it may publish to."""

    namespace: str
    claims: Mapping[str, str] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Issuer:
    """Who vouches for identities: the address that stands in `iss`, and what has to stand in `aud`."""

    url: str
    audience: str
    publishers: tuple[Publisher, ...]


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody an issuer vouches for, and where they may publish."""

    person: str
    namespaces: frozenset[str]


def read_issuers(data: bytes) -> tuple[Issuer, ...]:
    """Read the operator's list of trusted issuers.

    Raises:
        UsageError: it is not one.
    """
    try:
        document = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"the list of trusted issuers is not TOML: {error}") from error
    found = document.get("issuer")
    if not isinstance(found, list) or not found:
        raise UsageError("the list of trusted issuers names none", hint="begin each with [[issuer]]")
    return tuple(_issuer(each) for each in found)


def _issuer(table: Any) -> Issuer:
    match table:
        case {"url": str(url), "audience": str(audience), "publisher": list(publishers)} if audience:
            parts = urlsplit(url)
            if parts.scheme != "https" and not (parts.scheme == "http" and _is_here(parts.hostname)):
                raise UsageError(f"the issuer {url!r} has to be reached by https")
            return Issuer(url.rstrip("/"), audience, tuple(_publisher(each) for each in publishers))
        case _:
            raise UsageError("an issuer has url, audience and [[issuer.publisher]]")


def _publisher(table: Any) -> Publisher:
    match table:
        case {"namespace": str(namespace), "claims": dict(claims)} if claims:
            if not all(isinstance(value, str) for value in claims.values()):
                raise UsageError("the claims of a publisher are texts")
            return Publisher(read_namespace(namespace), claims)
        case _:
            raise UsageError("a publisher has a namespace, and claims that are not empty")


def _is_here(host: str | None) -> bool:
    try:
        return ip_address(host or "").is_loopback
    except ValueError:
        return host == "localhost"


class Identities:
    """Recognises identity tokens of the trusted issuers, whose keys it remembers for a while."""

    def __init__(self, issuers: tuple[Issuer, ...]) -> None:
        """Nobody is asked yet."""
        self._issuers = {each.url: each for each in issuers}
        self._keys: dict[str, tuple[float, Any]] = {}
        self._asking = asyncio.Lock()

    async def identify(self, text: str) -> Identity | None:
        """Who a token is about; None when nobody trusted says so, or they may publish nowhere.

        Raises:
            UnavailableError: the issuer does not tell its keys.
        """
        import jwt

        if len(text) > _LONGEST:
            return None
        try:
            claimed = jwt.decode(text, options={"verify_signature": False})
            issuer = self._issuers.get(str(claimed.get("iss", "")).rstrip("/"))
            if issuer is None:
                return None
            header = jwt.get_unverified_header(text)
            key = await self._key(issuer, str(header.get("kid", "")))
            if key is None or header.get("alg") not in _ALGORITHMS:
                return None
            claims = jwt.decode(
                text,
                key.key,
                algorithms=[str(key.algorithm_name)],
                audience=issuer.audience,
                issuer=str(claimed["iss"]),
                leeway=_LEEWAY,
                options={"require": ["exp", "iat", "sub", "iss", "aud"]},
            )
        except jwt.PyJWTError:
            return None
        namespaces = frozenset(
            each.namespace
            for each in issuer.publishers
            if all(claims.get(name) == value for name, value in each.claims.items())
        )
        return Identity(_person(issuer, str(claims["sub"])), namespaces) if namespaces else None

    async def _key(self, issuer: Issuer, identifier: str) -> Any:
        """The key with this identifier; an unknown one leads to one more question, now and then."""
        async with self._asking:
            known = self._keys.get(issuer.url)
            now = time.monotonic()
            is_there = known is not None and _find(known[1], identifier) is not None
            patience = _KEEP_SECONDS if is_there else _ASK_AGAIN_SECONDS
            if known is None or now - known[0] > patience:
                known = self._keys[issuer.url] = (now, await _fetch_keys(issuer))
        return _find(known[1], identifier)


def _person(issuer: Issuer, subject: str) -> str:
    """A name that neither an identity of another issuer has, nor anybody with a token."""
    name = f"{issuer.url}#{subject}"
    return name if len(name) <= _LONGEST_NAME else f"sha256:{sha256(name.encode()).hexdigest()}"


def _find(keys: Any, identifier: str) -> Any:
    usable = [key for key in keys.keys if key.algorithm_name in _ALGORITHMS]
    return next((key for key in usable if key.key_id == identifier), None)


async def _fetch_keys(issuer: Issuer) -> Any:
    import jwt

    about = await _get(f"{issuer.url}/.well-known/openid-configuration", issuer)
    place = about.get("jwks_uri")
    if about.get("issuer", "").rstrip("/") != issuer.url or not isinstance(place, str):
        raise UnavailableError(f"the issuer {issuer.url} does not describe itself")
    if urlsplit(place).scheme != urlsplit(issuer.url).scheme:
        raise UnavailableError(f"the issuer {issuer.url} has its keys where anybody could change them")
    try:
        return jwt.PyJWKSet.from_dict(await _get(place, issuer))
    except jwt.PyJWTError as error:
        raise UnavailableError(f"the issuer {issuer.url} has no usable keys") from error


async def _get(url: str, issuer: Issuer) -> dict[str, Any]:
    import httpx

    try:
        async with (
            httpx.AsyncClient(timeout=10, trust_env=False) as client,
            client.stream("GET", url) as reply,
        ):
            data = b""
            async for piece in reply.aiter_bytes():
                data += piece
                if len(data) > _MOST_BYTES:
                    raise UnavailableError(f"the issuer {issuer.url} answers too much")
            if reply.status_code == 200:
                document = httpx.Response(200, content=data).json()
                if isinstance(document, dict):
                    return document
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise UnavailableError(
            f"the issuer {issuer.url} cannot be reached: {type(error).__name__}"
        ) from error
    raise UnavailableError(f"the issuer {issuer.url} does not answer what it should")
