"""The files of a source tree that an audit reads, with bounds, and a note for each that it does not read."""

import os
import re
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
# Everybody knows that these are not read, and in most projects they are there.
_OBVIOUS: Final = frozenset({"node_modules", "__pycache__", ".git"})
_TESTS: Final = frozenset({"test", "tests", "__tests__", "spec", "__mocks__", "fixtures"})
_TEST_ENDINGS: Final = (".test", ".spec", "_test")
_LARGEST: Final = 4 * 1024 * 1024
# Pages of a browser come minified and in one piece; nobody wrote a server like that.
_LARGEST_MINIFIED: Final = 1024 * 1024
_LONG_LINES: Final = 400
_MOST_FILES: Final = 50_000
_MOST_BYTES: Final = 64 * 1024 * 1024
# Words without which hardly any server is written; the reader of code knows more of them.
_WORDS: Final = (
    *(b"modelcontextprotocol", b"McpServer", b"MCPServer", b"FastMCP", b"fastmcp", b"mcp.server"),
    *(b"protocolVersion", b"protocol_version", b"tools/list", b"tools/call", b"setRequestHandler"),
    *(
        b"notifications/initialized",
        b"clientInfo",
        b"client_info",
        b"registerTool",
        b"import mcp",
        b"from mcp",
    ),
)
_MOST_NOTES: Final = 50
_MOST_NAMES: Final = 8
# How much of a file that is not read, and of a directory, is looked through for what it is about.
_MOST_SEARCHED: Final = 64 * 1024 * 1024
_MOST_ENTRIES: Final = 5_000
_DECLARATIONS: Final = (".d.ts", ".d.mts", ".d.cts")
# What declares types makes nothing, returns nothing and waits for nothing.
_CODE: Final = re.compile(r"\bnew\s+[A-Za-z_$][\w$.]*\s*\(|\b(?:return|await|throw)\s+[^\s:?(]")


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
    left_out: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    unread: bool = False

    def note(self, path: str, why: str) -> None:
        """Remember that a file was not read."""
        self.skipped += 1
        if len(self.notes) < _MOST_NOTES:
            self.notes.append(f"{path}: {why}")

    def all_notes(self) -> Iterator[str]:
        """What was not read, and what was not meant to be; whoever hides something there is named."""
        yield from self.notes
        if self.skipped > len(self.notes):
            yield f"{self.skipped - len(self.notes)} more files were not read"
        if self.left_out:
            yield f"not read: {_few(self.left_out)}"
        if self.tests:
            yield f"tests were not looked at: {_few(self.tests)}"

    def files(self) -> Iterator[SourceFile]:
        """Every file that counts, in the order of their names."""
        total = 0
        for number, (path, relative) in enumerate(self._paths()):
            if number >= _MOST_FILES or total > _MOST_BYTES:
                self.note(relative, "the tree is too large; this file and those after it were not read")
                self.unread = True
                return
            text = self._read(path, relative)
            if text is not None:
                total += len(text)
                yield SourceFile(relative, Language(_SUFFIXES[path.suffix.lower()]), text)

    def _paths(self) -> Iterator[tuple[Path, str]]:
        if self.root.is_file():
            yield self.root, self.root.name
            return
        # Symbolic links are not followed: they lead in circles, or out of the tree.
        for folder, directories, names in os.walk(self.root, onerror=self._unreadable):
            directories[:] = [name for name in sorted(directories) if self._counts(Path(folder, name))]
            for name in sorted(names):
                path = Path(folder, name)
                if path.suffix.lower() not in _SUFFIXES:
                    continue
                relative = self._named(path)
                if _is_test(path):
                    self.tests.append(relative)
                elif not name.lower().endswith(_DECLARATIONS) or self._holds_code(path, relative):
                    yield path, relative

    def _counts(self, directory: Path) -> bool:
        """Whether a directory is part of what is audited; where it is not and holds source, that is told."""
        name = directory.name
        if name in _OBVIOUS:
            return False
        if directory.is_symlink():
            why = " (symbolic link)"
        elif name in _TESTS:
            if _holds_source(directory):
                self.tests.append(f"{self._named(directory)}/")
            return False
        elif _is_environment(directory):
            why = " (virtual environment)"
        elif name.startswith(".") or name in _FOREIGN:
            why = ""
        else:
            return True
        if _holds_source(directory):
            self.left_out.append(f"{self._named(directory)}/{why}")
        return False

    def _holds_code(self, path: Path, relative: str) -> bool:
        """Whether a file that is called a declaration of types is none."""
        try:
            data = path.read_bytes() if path.lstat().st_size <= _LARGEST else b""
        except OSError:
            return True
        if not speaks_of_mcp(data) or not _CODE.search(_without_remarks(data.decode(errors="replace"))):
            return False
        self.note(relative, "called a declaration of types, and holds code; it was read")
        return True

    def _named(self, path: Path) -> str:
        return _told(path.relative_to(self.root).as_posix())

    def _unreadable(self, error: OSError) -> None:
        self.note(_told(str(error.filename)), "the directory cannot be read")

    def _read(self, path: Path, relative: str) -> str | None:
        try:
            status = path.lstat()
            if not stat.S_ISREG(status.st_mode):
                self.note(relative, "not a regular file")
                return None
            with path.open("rb") as file:
                data = file.read(_LARGEST + 1)
                if len(data) > _LARGEST:
                    data += file.read(_MOST_SEARCHED - len(data))
                    self._unread(relative, f"larger than {_LARGEST // 1024 // 1024} MB", data)
                    return None
        except OSError as exc:
            self._unread(relative, f"cannot be read: {exc.strerror}", None)
            return None
        if len(data) > _LARGEST_MINIFIED and len(data) > _LONG_LINES * (data.count(b"\n") + 1):
            self._unread(relative, "minified, and too large to be read", data)
            return None
        if b"\0" in data:
            self._unread(relative, "binary", data)
            return None
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            self._unread(relative, "not UTF-8", data)
            return None

    def _unread(self, relative: str, why: str, data: bytes | None) -> None:
        """A file was not read; whether it could hold a server decides whether anything can be told."""
        speaks = data is None or len(data) >= _MOST_SEARCHED or speaks_of_mcp(data)
        self.unread |= speaks
        self.note(relative, f"{why}; it speaks of MCP" if speaks and data is not None else why)


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
    if stat.S_ISREG(status.st_mode) and root.suffix.lower() not in _SUFFIXES:
        raise UsageError(
            f"{root} is in no language that the audit reads", hint=f"it reads {', '.join(_SUFFIXES)}"
        )
    return Tree(root)


def speaks_of_mcp(data: bytes) -> bool:
    """Whether a file that cannot be read as code has words of the protocol or of its SDKs in it."""
    # As text of two bytes a letter, too.
    return any(word in data or word.decode().encode("utf-16-le") in data for word in _WORDS)


def _is_environment(directory: Path) -> bool:
    """A virtual environment: more than a file that says so."""
    if not (directory / "pyvenv.cfg").is_file():
        return False
    lib, scripts = directory / "lib", directory / "Scripts"
    has_packages = lib.is_dir() and any(lib.glob("python3*/site-packages"))
    return has_packages or (scripts / "python.exe").exists() or (directory / "bin" / "python").exists()


def _holds_source(directory: Path) -> bool:
    """Whether something in a directory is in a language that we read; a large one is taken to."""
    seen = 0
    # A link is looked at where it leads, one directory deep; what is behind that may be anywhere.
    for _, directories, names in os.walk(directory):
        seen += len(names) + len(directories) + 1
        if seen > _MOST_ENTRIES or any(Path(name).suffix.lower() in _SUFFIXES for name in names):
            return True
    return False


def _few(names: list[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _without_remarks(text: str) -> str:
    """The text without what stands between `/*` and `*/`, or behind `//`."""
    parts: list[str] = []
    for number, part in enumerate(text.split("/*")):
        parts.append(part if number == 0 else part.partition("*/")[2])
    lines = "".join(parts).splitlines()
    return "\n".join(line.partition("//")[0] for line in lines)


def _told(path: str) -> str:
    """A path as text, whatever bytes its names are made of."""
    return path.encode(errors="surrogateescape").decode(errors="replace")


def _is_test(path: Path) -> bool:
    return path.name.startswith("test_") or path.stem.endswith(_TEST_ENDINGS) or path.name == "conftest.py"
