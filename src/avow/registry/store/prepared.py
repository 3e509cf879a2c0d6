"""A publication with everything computed that can be before it is written."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from avow.core.canonical import Digest
from avow.core.capability import Kind
from avow.core.keys import KeyId
from avow.core.publication import ServerName
from avow.core.risk import Level
from avow.core.severity import Severity
from avow.errors import UnavailableError
from avow.registry.model import Counts, Needs


class StaleError(UnavailableError):
    """Another version of the server was published in between: the drift has to be computed again."""


@dataclass(frozen=True, slots=True)
class PreparedCapability:
    """A capability as it is stored: once, by its digest.

    `definition` holds the canonical bytes, compressed; `reasons` a JSON array; `arguments` the names with
    each of their JSON types; `words` are separated by blanks.
    """

    digest: Digest
    kind: Kind
    name: str
    title: str
    description: str
    risk: Level
    reasons: str
    definition: bytes
    arguments: tuple[tuple[str, str], ...]
    annotations: tuple[tuple[str, str], ...]
    words: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """A verified publication, ready to be written.

    `predecessor` is the sequence of the version that the drift compares with; 0 for a first version.
    `body` is the payload as it is stored, `signatures` the rest of the envelope. `fresh` are the
    capabilities that the store may not have yet; `offered` are all.
    """

    name: ServerName
    version: str
    digest: Digest
    content: Digest
    published_at: datetime
    key: KeyId
    counts: Counts
    needs: Needs
    predecessor: int
    highest: Severity | None
    drift: Mapping[Severity, int]
    drift_document: bytes
    body: bytes
    signatures: bytes
    offered: tuple[tuple[Kind, Digest], ...]
    fresh: tuple[PreparedCapability, ...]
    title: str
    description: str
    words: str
