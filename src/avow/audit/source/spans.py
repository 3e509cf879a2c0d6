"""Where code stands: kept as two offsets while it is read, told as lines and columns when somebody asks."""

import re
from bisect import bisect_right
from typing import Final

import msgspec

from avow.audit.model import Place

_NEWLINE: Final = re.compile(rb"\r\n|\r|\n")


class Source(msgspec.Struct, eq=False):
    """The bytes of a file, and where its lines begin."""

    path: str
    data: bytes
    starts: list[int]

    @classmethod
    def of(cls, path: str, text: str) -> "Source":
        """Find the lines of a file."""
        data = text.encode()
        return cls(path, data, [0, *(found.end() for found in _NEWLINE.finditer(data))])

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1; a column counts characters, not bytes."""
        line = bisect_right(self.starts, offset)
        before = self.data[self.starts[line - 1] : offset]
        return line, len(before.decode(errors="ignore")) + 1


class Span(msgspec.Struct, gc=False, eq=False):
    """From one offset to another."""

    source: Source
    start: int
    end: int

    @property
    def place(self) -> Place:
        """The same for people."""
        return Place(self.source.path, *self.source.position(self.start), *self.source.position(self.end))
