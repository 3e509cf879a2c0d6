"""The files of a source tree that an audit reads, with bounds, and a note for each that it does not read."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from avow.errors import StorageError, UsageError

_SUFFIXES: Final = {
    ".py": "python",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
}
# Other people's code, and what tools leave behind.
_FOREIGN: Final = frozenset(
    {"node_modules", "site-packages", "bower_components", "__pycache__", "vendor", "third_party"}
)
_TESTS: Final = frozenset({"test", "tests", "__tests__", "spec", "__mocks__", "fixtures"})
_TEST_ENDINGS: Final = (".test", ".spec", "_test")
_LARGEST: Final = 4 * 1024 * 1024
# Pages of a browser come minified and in one piece; nobody wrote a server like that.
_LARGEST_MINIFIED: Final = 1024 * 1024
_LONG_LINES: Final = 400
_MOST_FILES: Final = 50_000
_MOST_BYTES: Final = 64 * 1024 * 1024
_MOST_NOTES: Final = 50


class Language(StrEnum):
    """A language that we read."""

    PYTHON = "python"
    TYPESCRIPT = "typescript"
    TSX = "tsx"
    JAVASCRIPT = "javascript"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file: its path from the root of the tree, with slashes, and its text."""

    path: str
    language: Language
    text: str = field(repr=False)


@dataclass(slots=True)
class Tree:
    """A tree to read once: its files come one at a time, and `notes` grows while they do."""

    root: Path
    notes: list[str] = field(default_factory=list)
    skipped: int = 0
    tests: int = 0

    def note(self, path: str, why: str) -> None:
        """Remember that a file was not read."""
        self.skipped += 1
        if len(self.notes) < _MOST_NOTES:
            self.notes.append(f"{path}: {why}")

    def files(self) -> Iterator[SourceFile]:
        """Every file that counts, in the order of their names."""
        total = 0
        for number, (path, relative) in enumerate(self._paths()):
            if number >= _MOST_FILES or total > _MOST_BYTES:
                self.note(relative, "the tree is too large; this file and those after it were not read")
                return
            text = self._read(path, relative)
            if text is not None:
                total += len(text)
                yield SourceFile(relative, Language(_SUFFIXES[path.suffix]), text)

    def _paths(self) -> Iterator[tuple[Path, str]]:
        if self.root.is_file():
            yield self.root, self.root.name
            return
        # Symbolic links are not followed: they lead in circles, or out of the tree.
        for folder, directories, names in os.walk(self.root, onerror=self._unreadable):
            kept = [name for name in directories if not self._is_foreign(Path(folder, name))]
            directories[:] = sorted(kept)
            for name in sorted(names):
                path = Path(folder, name)
                if path.suffix in _SUFFIXES and not name.endswith((".d.ts", ".d.mts", ".d.cts")):
                    if _is_test(path):
                        self.tests += 1
                    else:
                        yield path, _told(path.relative_to(self.root).as_posix())

    def _is_foreign(self, directory: Path) -> bool:
        name = directory.name
        if name in _TESTS:
            self.tests += 1
            return True
        return name.startswith(".") or name in _FOREIGN or (directory / "pyvenv.cfg").exists()

    def _unreadable(self, error: OSError) -> None:
        self.note(_told(str(error.filename)), "the directory cannot be read")

    def _read(self, path: Path, relative: str) -> str | None:
        try:
            status = path.lstat()
            if not stat.S_ISREG(status.st_mode):
                self.note(relative, "not a regular file")
                return None
            if status.st_size > _LARGEST:
                self.note(relative, f"larger than {_LARGEST // 1024 // 1024} MB")
                return None
            data = path.read_bytes()
        except OSError as exc:
            self.note(relative, f"cannot be read: {exc.strerror}")
            return None
        if len(data) > _LARGEST_MINIFIED and len(data) > _LONG_LINES * (data.count(b"\n") + 1):
            self.note(relative, "minified, and too large to be read")
            return None
        if b"\0" in data:
            self.note(relative, "binary")
            return None
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            self.note(relative, "not UTF-8")
            return None


def open_tree(root: Path) -> Tree:
    """The source tree, or the one file, at a path.

    Raises:
        UsageError: it is a file in no language that we read.
        StorageError: there is nothing there, or it cannot be read.
    """
    try:
        status = root.stat()
    except OSError as exc:
        raise StorageError(f"cannot read {root}: {exc.strerror}", hint="name a directory or a file") from exc
    if stat.S_ISREG(status.st_mode) and root.suffix not in _SUFFIXES:
        raise UsageError(
            f"{root} is in no language that the audit reads", hint=f"it reads {', '.join(_SUFFIXES)}"
        )
    return Tree(root)


def _told(path: str) -> str:
    """A path as text, whatever bytes its names are made of."""
    return path.encode(errors="surrogateescape").decode(errors="replace")


def _is_test(path: Path) -> bool:
    return path.name.startswith("test_") or path.stem.endswith(_TEST_ENDINGS) or path.name == "conftest.py"
