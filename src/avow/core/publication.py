"""What a publisher signs and a registry reads: a snapshot under the name and the version of a server."""

import re
from dataclasses import dataclass
from typing import Final

from avow.core.canonical import MAX_FILE_DEPTH, Digest, JsonObject, canonical, digest, parse_json
from avow.core.documents import read_snapshot_document, snapshot_document
from avow.core.snapshot import Snapshot
from avow.errors import MalformedInputError

PUBLICATION_TYPE: Final = "application/vnd.avow.publication+json"
"""The payload type of the DSSE envelope around a publication."""

MAX_PAYLOAD: Final = 8 * 1024 * 1024
"""The largest payload, in bytes: twice the largest signature, for what stands beside its definitions."""

MAX_ENVELOPE: Final = -(-MAX_PAYLOAD // 3) * 4 + 64 * 1024
"""The largest envelope: the largest payload in base64, and signatures with what stands around them."""

MAX_CAPABILITIES: Final = 10_000
MAX_NAME: Final = 200
MAX_VERSION: Final = 128

# Linear: no two neighbouring parts can take the same character. Nothing here can climb out of a path.
NAMESPACE_PATTERN: Final = r"[A-Za-z0-9]([A-Za-z0-9-]|\.[A-Za-z0-9])*"
SERVER_PATTERN: Final = r"[A-Za-z0-9]([A-Za-z0-9_-]|\.[A-Za-z0-9_-])*"
VERSION_PATTERN: Final = r"[A-Za-z0-9]([A-Za-z0-9_+-]|\.[A-Za-z0-9_+-])*"

_NAMESPACE: Final = re.compile(NAMESPACE_PATTERN)
_SERVER: Final = re.compile(SERVER_PATTERN)
_VERSION: Final = re.compile(VERSION_PATTERN)


@dataclass(frozen=True, slots=True, order=True)
class ServerName:
    """`namespace/server`, as in the official registry: `io.github.owner/files`."""

    namespace: str
    server: str

    @classmethod
    def read(cls, text: str) -> "ServerName":
        """Take a name apart.

        Raises:
            MalformedInputError: it is not `namespace/server`.
        """
        namespace, _, server = text.partition("/") if len(text) <= MAX_NAME else ("", "", "")
        if not _NAMESPACE.fullmatch(namespace) or not _SERVER.fullmatch(server):
            raise MalformedInputError(
                f"{text[:80]!r} is not the name of a server",
                hint="names are namespace/server, of letters, digits, dots and dashes: io.github.owner/files",
            )
        return cls(namespace, server)

    def __str__(self) -> str:
        """The name as everybody writes it."""
        return f"{self.namespace}/{self.server}"


def read_namespace(text: str) -> str:
    """Check the name of a namespace.

    Raises:
        MalformedInputError: it is none.
    """
    if len(text) >= MAX_NAME or not _NAMESPACE.fullmatch(text):
        raise MalformedInputError(
            f"{text[:80]!r} is not a namespace", hint="io.github.owner, or a domain of yours backwards"
        )
    return text


def read_watched(text: str) -> str:
    """Check what somebody wants to hear of: a server, or `namespace/*` for all in a namespace.

    Raises:
        MalformedInputError: it is neither.
    """
    if text.endswith("/*"):
        return f"{read_namespace(text.removesuffix('/*'))}/*"
    return str(ServerName.read(text))


def read_version(text: str) -> str:
    """Check a version.

    Raises:
        MalformedInputError: it is none, or a word that means another version every day.
    """
    if len(text) > MAX_VERSION or not _VERSION.fullmatch(text) or text == "latest":
        raise MalformedInputError(
            f"{text[:80]!r} is not a version", hint="letters, digits, dots, dashes and plus signs: 1.4.0-beta"
        )
    return text


@dataclass(frozen=True, slots=True)
class Publication:
    """A snapshot under a name and a version; `content` is the digest of all three."""

    name: ServerName
    version: str
    snapshot: Snapshot
    content: Digest
    document: JsonObject


def publication_payload(name: ServerName, version: str, snapshot: Snapshot) -> bytes:
    """The bytes to sign."""
    return canonical(
        {"name": str(name), "version": read_version(version), "snapshot": snapshot_document(snapshot)}
    )


def read_publication(payload: bytes) -> Publication:
    """Read what somebody signed, with every digest computed again from what it stands for.

    Raises:
        MalformedInputError: it is too large, no publication, or a digest in it does not fit.
    """
    if len(payload) > MAX_PAYLOAD:
        raise MalformedInputError(
            f"the publication has {len(payload)} bytes; {MAX_PAYLOAD} is the limit",
            hint="a signature this large cannot be used by any client",
        )
    match document := parse_json(payload, max_depth=MAX_FILE_DEPTH):
        case {"name": str(name), "version": str(version), "snapshot": dict(snapshot)}:
            _check_count(snapshot)
            return Publication(
                ServerName.read(name),
                read_version(version),
                read_snapshot_document(snapshot),
                digest(document),
                document,
            )
        case _:
            raise MalformedInputError(
                "a publication has a name, a version and a snapshot", hint="`avow registry publish` makes one"
            )


def _check_count(snapshot: JsonObject) -> None:
    count = sum(len(entries) for entries in snapshot.values() if isinstance(entries, list))
    if count > MAX_CAPABILITIES:
        raise MalformedInputError(f"the snapshot lists {count} things; {MAX_CAPABILITIES} is the limit")
