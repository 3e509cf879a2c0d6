"""The address of a registry in its one spelling, so that each registry is remembered once."""

from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from avow.core.printable import printable
from avow.errors import UsageError

_PORTS: Final = {"http": 80, "https": 443}


def read_address(text: str) -> str:
    """The address without what makes no difference: case, a usual port, a slash at the end.

    Raises:
        UsageError: it is not the address of a registry.
    """
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        raise _unfit(text) from None
    if parts.scheme not in _PORTS or not parts.hostname or parts.query or parts.fragment:
        raise _unfit(text)
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            "the address of a registry must not hold a password",
            hint="put the token into AVOW_REGISTRY_TOKEN",
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    place = host if port in (None, _PORTS[parts.scheme]) else f"{host}:{port}"
    return f"{parts.scheme}://{place}{parts.path.rstrip('/')}"


def is_local(address: str) -> bool:
    """Whether nobody between here and there can listen."""
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _unfit(text: str) -> UsageError:
    return UsageError(
        f"{printable(text, 80)!r} is not the address of a registry",
        hint="it looks like https://registry.example",
    )
