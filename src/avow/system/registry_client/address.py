"""The address of a registry in its one spelling, so that each registry is remembered once."""

from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from avow.core.printable import printable
from avow.errors import UsageError

_API: Final = "/api/v1"
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
    if (path := parts.path.rstrip("/")).endswith(_API):
        whole = text.strip().rstrip("/").removesuffix(_API)
        raise UsageError(
            f"{printable(path, 80)} is the path of the API", hint=f"did you mean {printable(whole, 200)}?"
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    place = host if port in (None, _PORTS[parts.scheme]) else f"{host}:{port}"
    return f"{parts.scheme}://{place}{parts.path.rstrip('/')}"


def is_local(address: str) -> bool:
    """Whether nobody between here and there can listen."""
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return False
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _unfit(text: str) -> UsageError:
    meant = text.strip()
    if "://" not in meant and meant and " " not in meant:
        scheme = "http" if is_local(f"http://{meant}") else "https"
        hint = f"did you mean {scheme}://{printable(meant, 80)}?"
    else:
        hint = "it looks like https://registry.example"
    return UsageError(f"{printable(text, 80)!r} is not the address of a registry", hint=hint)
