"""Who may speak to the gateway: names it answers to, pages it answers, and tokens it accepts.

A page in a browser can make its own name resolve to this machine and then read what answers there. It
cannot hide the name it used (`Host`) nor where it came from (`Origin`), so both are checked.
"""

import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from avow.errors import UsageError
from avow.system.files import read_bounded

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
SHORTEST_TOKEN: Final = 16

_BEARER: Final = b"bearer "


@dataclass(frozen=True, slots=True)
class Denied:
    """An HTTP refusal."""

    status: int
    message: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class Access:
    """The rules, as values: `tokens` are digests; without any, everybody who comes this far may speak."""

    hosts: frozenset[str] = LOOPBACK
    origins: frozenset[str] = frozenset()
    tokens: tuple[bytes, ...] = field(default=(), repr=False)

    def judge_place(self, headers: Mapping[bytes, bytes]) -> Denied | None:
        """Whether the request was meant for us, and comes from a place that may ask."""
        host = headers.get(b"host", b"").decode("latin-1")
        if _hostname(f"//{host}") not in self.hosts:
            return Denied(421, "this gateway does not answer to that host name (see --allow-host)")
        origin = headers.get(b"origin")
        if origin is not None and not self._is_welcome(origin.decode("latin-1")):
            return Denied(403, "pages of that origin may not use this gateway (see --allow-origin)")
        return None

    def judge_caller(self, headers: Mapping[bytes, bytes]) -> bytes | Denied:
        """The digest of the caller's token, empty where none is needed."""
        if not self.tokens:
            return b""
        given = headers.get(b"authorization", b"")
        if given[: len(_BEARER)].lower() == _BEARER:
            digest = sha256(given[len(_BEARER) :].strip()).digest()
            # Every token is compared, so that the time taken tells nothing about which came close.
            if sum(hmac.compare_digest(digest, token) for token in self.tokens):
                return digest
        return Denied(401, "a bearer token is needed", ((b"www-authenticate", b'Bearer realm="avow"'),))

    def _is_welcome(self, origin: str) -> bool:
        return origin.lower() in self.origins or (
            origin.startswith(("http://", "https://")) and _hostname(origin) in LOOPBACK
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def answered_names(listen_host: str, allowed: Iterable[str]) -> frozenset[str]:
    """The host names to answer to: this machine's own, the address that was asked for, and those allowed."""
    own = () if listen_host in ("0.0.0.0", "::", "") else (listen_host.lower(),)  # noqa: S104 - compared only
    return LOOPBACK | {*own, *(name.lower().strip("[]") for name in allowed)}


def read_tokens(path: Path) -> tuple[bytes, ...]:
    """The digests of the tokens of a file, one per line; empty lines and `#` comments do not count.

    Raises:
        StorageError: it cannot be read.
        UsageError: it has no token, or one that could be guessed.
    """
    lines = [line.strip() for line in read_bounded(path).splitlines()]
    tokens = [line for line in lines if line and not line.startswith(b"#")]
    if not tokens:
        raise UsageError(f"{path} has no token", hint="write one per line: `openssl rand -hex 32` makes one")
    if any(len(token) < SHORTEST_TOKEN for token in tokens):
        raise UsageError(
            f"{path} has a token of fewer than {SHORTEST_TOKEN} characters",
            hint="`openssl rand -hex 32` makes a good one",
        )
    return tuple(sha256(token).digest() for token in tokens)


@lru_cache(256)
def _hostname(address: str) -> str | None:
    try:
        parts = urlsplit(address)
        return None if "@" in parts.netloc or parts[2:] != ("", "", "") else parts.hostname
    except ValueError:
        return None
