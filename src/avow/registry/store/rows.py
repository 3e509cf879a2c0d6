"""Rows as values and values as rows: the only place that knows the order of columns."""

import base64
import binascii
from collections.abc import Sequence
from typing import Any, Final

from avow.core.canonical import Digest
from avow.core.capability import Kind
from avow.core.keys import KeyId
from avow.core.publication import ServerName
from avow.core.risk import Level
from avow.core.severity import Severity
from avow.errors import MalformedInputError
from avow.registry.model import Counts, Needs, PublishedVersion, Server
from avow.registry.store.database import Row
from avow.registry.store.sequencer import moment

KINDS: Final = tuple(Kind)
LEVELS: Final = tuple(Level)
SEVERITIES: Final = tuple(Severity)

VERSION: Final = (
    "v.id, s.name, v.version, v.sequence, v.digest, v.content, v.published_ms, v.log_index, v.key_id, "
    "v.tools, v.prompts, v.resources, v.templates, v.low, v.medium, v.high, "
    "v.declared, v.parameters, v.required, v.secrets, v.required_secrets, "
    "v.predecessor, v.highest, v.info, v.safe, v.moderate, v.critical"
)
_VERSION_COLUMNS: Final = VERSION.count(",") + 1
SERVER: Final = f"{VERSION}, s.versions, s.first_ms, s.title, s.description"


def digest_bytes(digest: str) -> bytes:
    """A digest as it is stored.

    Raises:
        MalformedInputError: it is none.
    """
    algorithm, _, digits = digest.partition(":")
    try:
        data = bytes.fromhex(digits)
    except ValueError:
        data = b""
    if algorithm != "sha256" or len(data) != 32 or data.hex() != digits:
        raise MalformedInputError(f"{digest[:80]!r} is not a digest", hint="sha256: and 64 digits")
    return data


def digest_text(data: bytes) -> Digest:
    """The inverse of `digest_bytes`."""
    return Digest("sha256:" + bytes(data).hex())


def name_of(text: str) -> ServerName:
    """A name that was checked before it was stored."""
    namespace, _, server = text.partition("/")
    return ServerName(namespace, server)


def version_of(row: Row) -> PublishedVersion:
    """A version from the columns of `VERSION`."""
    drift = {severity: count for severity, count in zip(SEVERITIES, row[23:27], strict=True) if count}
    return PublishedVersion(
        id=row[0],
        name=name_of(row[1]),
        version=row[2],
        sequence=row[3],
        digest=digest_text(row[4]),
        content=digest_text(row[5]),
        published_at=moment(row[6]),
        log_index=row[7],
        key=KeyId(row[8]),
        counts=Counts(*row[9:16]),
        needs=Needs(bool(row[16]), *row[17:21]),
        predecessor=row[21],
        highest=SEVERITIES[row[22] - 1] if row[22] else None,
        drift=drift,
    )


def server_of(row: Row) -> Server:
    """A server from the columns of `SERVER`."""
    versions, first_ms, title, description = row[_VERSION_COLUMNS:]
    return Server(version_of(row).name, version_of(row), versions, moment(first_ms), title, description)


def cursor_of(*place: int) -> str:
    """Where a page ends, in letters that nobody has to understand."""
    text = ",".join(map(str, place))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(cursor: str | None, default: Sequence[int]) -> tuple[int, ...]:
    """The inverse of `cursor_of`; the default where there is none.

    Raises:
        MalformedInputError: it is no cursor of ours.
    """
    if cursor is None:
        return tuple(default)
    try:
        text = base64.urlsafe_b64decode(cursor[:100].encode() + b"=" * (-len(cursor[:100]) % 4)).decode(
            "ascii"
        )
        place = tuple(int(part) for part in text.split(",") if part.isdigit() and len(part) < 19)
    except (binascii.Error, ValueError):
        place = ()
    if len(place) != len(default) or cursor_of(*place) != cursor:
        raise MalformedInputError(f"{cursor[:80]!r} is not a cursor", hint="take it from the page before")
    return place


def bounded(text: Any, length: int) -> str:
    """A text of a server's for a column: short, and without what PostgreSQL cannot hold."""
    return text[:length].replace("\0", "\N{REPLACEMENT CHARACTER}") if isinstance(text, str) else ""
