"""Addresses that somebody else chose and we are to call: never one inside our own network.

A name is resolved once, every address it has is judged, and the call goes to the address that was
judged: otherwise the name could lead elsewhere a moment later.
"""

import asyncio
import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final
from urllib.parse import SplitResult, urlsplit

from avow.errors import MalformedInputError

_PORTS: Final = {"http": 80, "https": 443}
# All of the internet's own addresses are in here; what lies outside is local, translated or not given out.
_GLOBAL: Final = ip_network("2000::/3")
# Inside of it: for tunnels, relays and documents, not for hosts.
_SPECIAL: Final = (
    ip_network("2001::/23"),
    ip_network("2001:db8::/32"),
    ip_network("2002::/16"),
    ip_network("3fff::/20"),
    ip_network("192.0.0.0/24"),
    ip_network("192.88.99.0/24"),
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where to connect: a URL with the judged address, the name for TLS, and the value of `Host`."""

    url: str
    name: str
    host: str


def read_url(text: str, *, private: bool) -> SplitResult:
    """Check an address as far as that goes without asking anybody; only `https` unless `private` is allowed.

    Raises:
        MalformedInputError: it is none, or none that may be called.
    """
    try:
        parts = urlsplit(text)
        port, host = parts.port, parts.hostname
    except ValueError:
        raise _unfit(text, "it is not an address") from None
    allowed = ("http", "https") if private else ("https",)
    if parts.scheme not in allowed or not host or port == 0:
        raise _unfit(text, f"it has to begin with {' or '.join(f'{each}://' for each in allowed)}")
    if (
        parts.username is not None
        or parts.password is not None
        or not text.isascii()
        or not text.isprintable()
    ):
        raise _unfit(text, "it holds a password, or characters that no address has")
    literal = _literal(host)
    if literal is not None and not private and not is_public(literal):
        raise _unfit(text, "it is inside a private network")
    return parts


async def resolve(text: str, *, private: bool) -> Place:
    """Find out where an address leads, and judge that.

    Raises:
        MalformedInputError: it leads nowhere, or where nobody may be sent.
    """
    parts = read_url(text, private=private)
    host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise _unfit(text, "its name cannot be resolved") from None
    addresses = [ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    if not private and not all(is_public(each) for each in addresses):
        raise _unfit(text, "it leads into a private network")
    chosen = addresses[0]
    place = f"[{chosen}]" if chosen.version == 6 else str(chosen)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Place(f"{parts.scheme}://{place}:{port}{path}", host, parts.netloc)


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address belongs to the whole internet."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address not in _GLOBAL:
            return False
    if any(address in network for network in _SPECIAL):
        return False
    return address.is_global and not address.is_multicast


def _literal(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _unfit(text: str, reason: str) -> MalformedInputError:
    return MalformedInputError(
        f"a webhook cannot be at {text[:100]!r}: {reason}",
        hint="`--webhooks-to-private-addresses` allows addresses inside your network",
    )
