"""Where an entry stands in a lockfile, for reports that point at lines.

The file is always written in one layout (two spaces, sorted, one member per line), so its lines can be
read without a parser that keeps positions; what is not found is reported at the first line.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from avow.core.capability import Kind
from avow.errors import StorageError
from avow.system.files import read_bounded

_SERVER: Final = re.compile(r' {4}("(?:[^"\\]|\\.)*+"): \{')
_COLLECTION: Final = re.compile(r' {6}"(\w++)": \[')
_NAME: Final = re.compile(r' {10}"name": ("(?:[^"\\]|\\.)*+"),?')
_KINDS: Final = {kind.collection: str(kind) for kind in Kind}


@dataclass(frozen=True, slots=True)
class Places:
    """Lines of a lockfile by server, and by server, kind and name of a capability."""

    path: Path | None = None
    lines: Mapping[tuple[str, ...], int] = field(default_factory=dict)

    def line_of(self, server: str, kind: str, name: str) -> int:
        """The line of a capability, else of its server, else the first."""
        return self.lines.get((server, kind, name)) or self.lines.get((server,), 1)


def places_in(path: Path | None) -> Places:
    """The places in a lockfile; none when there is no file."""
    if path is None:
        return Places()
    try:
        text = read_bounded(path).decode(errors="replace")
    except StorageError:
        return Places(path)
    return Places(path, _lines(text))


def _lines(text: str) -> dict[tuple[str, ...], int]:
    found: dict[tuple[str, ...], int] = {}
    server, kind = "", ""
    for number, line in enumerate(text.split("\n"), start=1):
        if match := _SERVER.fullmatch(line):
            server, kind = json.loads(match[1]), ""
            found[(server,)] = number
        elif match := _COLLECTION.fullmatch(line):
            kind = _KINDS.get(match[1], "")
        elif kind and (match := _NAME.fullmatch(line)):
            found.setdefault((server, kind, json.loads(match[1])), number)
    return found
