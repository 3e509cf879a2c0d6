"""An installed package on disk: where its program starts, which files are its own, and what is in them."""

import configparser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from avow.core.canonical import JsonValue, parse_json
from avow.errors import AvowError, StorageError
from avow.system.diagnosis.code import syntax as s
from avow.system.diagnosis.code.modules import python_for, script_for
from avow.system.diagnosis.code.translation import javascript, python
from avow.system.diagnosis.code.values import Module
from avow.system.files import read_bounded

MOST_BYTES_A_FILE: Final = 8 * 1024 * 1024
# Bundles are large; nobody writes so much Python into one file, and its parser takes much memory for it.
_MOST_BYTES_OF_PYTHON: Final = 1024 * 1024
# In Python 3.11, reading an f-string takes the square of the time of its braces.
_MOST_BRACES: Final = 20_000
MOST_BYTES: Final = 40 * 1024 * 1024
_MOST_BYTES_A_LIST: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Start:
    """Where a program starts: a file, and for Python the function in it that is called."""

    path: Path
    function: str = ""


@dataclass(slots=True)
class Package:
    """A package: `root` is where its modules are found, `own` the first parts of the names of its modules."""

    root: Path
    own: frozenset[str]
    is_python: bool
    is_late: Callable[[], bool] = field(default=lambda: False)
    _left: int = field(default=MOST_BYTES)
    _bodies: dict[Path, Sequence[s.Statement] | None] = field(default_factory=dict)
    _found: dict[tuple[str, int, Path], Path | None] = field(default_factory=dict)

    def module(self, path: Path) -> Module:
        """A file of the package as a module."""
        try:
            relative = path.relative_to(self.root)
        except ValueError:
            relative = Path(path.name)
        parts = [*relative.parts[:-1], *([] if relative.stem == "__init__" else [relative.stem])]
        is_python = path.suffix == ".py"
        return Module(path, relative.as_posix(), is_python, ".".join(parts) if is_python else "")

    def read(self, path: Path, note: Callable[[str], None]) -> Sequence[s.Statement] | None:
        """The statements of a file; None, with a note, when it is too large or cannot be read."""
        if path not in self._bodies:
            self._bodies[path] = self._translated(path, note)
        return self._bodies[path]

    def _translated(self, path: Path, note: Callable[[str], None]) -> Sequence[s.Statement] | None:
        name = self.module(path).name
        try:
            size = path.stat().st_size
            if (
                size > (_MOST_BYTES_OF_PYTHON if path.suffix == ".py" else MOST_BYTES_A_FILE)
                or size > self._left
            ):
                note(f"{name} was not read: it is too large")
                return None
            self._left -= size
            source = read_bounded(path, MOST_BYTES_A_FILE)
        except (OSError, StorageError):
            note(f"{name} was not read: it cannot be opened")
            return None
        if self.is_late() or (path.suffix == ".py" and source.count(b"{") > _MOST_BRACES):
            note(f"{name} was not read: that would take too long")
            return None
        if b"\0" in source[:4096]:
            note(f"{name} was not read: it is not text")
            return None
        try:
            if path.suffix == ".py":
                return python.translate(source)
            return javascript.translate(source, path.suffix, self.is_late)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            note(f"{name} was not read: its syntax is not understood, or takes too long")
            return None

    def find(self, name: str, level: int, importer: Module) -> Path | None:
        """The file of the package that an import means; None when it means a library."""
        asked = name, level, importer.path if level or not importer.is_python else importer.path.parent
        if asked not in self._found:
            self._found[asked] = self._file(name, level, importer)
        return self._found[asked]

    def _file(self, name: str, level: int, importer: Module) -> Path | None:
        found = (
            self._find_python(name, level, importer)
            if importer.is_python
            else self._find_script(name, importer)
        )
        if found is None:
            return None
        resolved = found.resolve()
        inside = resolved.is_relative_to(self.root)
        return resolved if inside and "node_modules" not in resolved.relative_to(self.root).parts else None

    def _find_python(self, name: str, level: int, importer: Module) -> Path | None:
        if level:
            parts = importer.dotted.split(".")
            is_package = importer.path.name == "__init__.py"
            base = parts[: len(parts) - level + (1 if is_package else 0)]
            name = ".".join([*base, *([name] if name else [])])
        if not name or not all(part.isidentifier() for part in name.split(".")):
            return None
        own = any(
            name == each or name.startswith(each + ".") or each.startswith(name + ".") for each in self.own
        )
        # A script may import its neighbours without naming the package.
        beside = python_for(importer.path.parent, name) if not level and not own else None
        return python_for(self.root, name) if own else beside

    def _find_script(self, name: str, importer: Module) -> Path | None:
        return script_for(importer.path.parent, name) if name.startswith(".") else None


def open_package(
    directory: Path, *, entry: Path | None = None, distribution: str = "", program: str = ""
) -> tuple[Package, tuple[Start, ...]]:
    """The package in a directory and where its program starts: for npm what has a `package.json`.

    For Python the directory is that of an import package, a `.dist-info` directory, or one that packages are
    installed to, with the name of the distribution. `program` picks one of several programs.
    """
    directory = directory.resolve()
    if (directory / "package.json").is_file():
        package = Package(directory, frozenset(), is_python=False)
        starts = _npm_starts(directory, program)
    else:
        package, starts = _python_package(directory, distribution, program)
    if entry is not None:
        starts = [Start(entry.resolve())]
    return package, tuple(starts)


def _npm_starts(directory: Path, program: str) -> list[Start]:
    manifest = _manifest(directory / "package.json")
    match manifest.get("bin"):
        case str(path):
            named = [path]
        case dict(programs):
            own = str(manifest.get("name", "")).rpartition("/")[2]
            order = sorted(programs, key=lambda name: (name != program, name != own, "mcp" not in name))
            named = [path for name in order if isinstance(path := programs[name], str)]
        case _:
            named = []
    main = manifest.get("main")
    named = named[:1] or [main if isinstance(main, str) else "index.js"]
    found = [script_for(directory, name.lstrip("/")) for name in named]
    return [Start(path) for path in found if path is not None and path.resolve().is_relative_to(directory)]


def _python_package(directory: Path, distribution: str, program: str) -> tuple[Package, list[Start]]:
    info = _info(directory, distribution)
    if info is None:
        package = Package(directory.parent, frozenset({directory.name}), is_python=True)
        return package, _main_modules(package)
    root = info.parent
    own = frozenset(_own_names(info))
    package = Package(root, own, is_python=True)
    starts = _scripts(info, package, program)
    return package, starts or _main_modules(package)


def _info(directory: Path, distribution: str) -> Path | None:
    if directory.name.endswith(".dist-info"):
        return directory
    wanted = _normal(distribution)
    for place in (directory, directory.parent):
        infos = sorted(place.glob("*.dist-info"))
        for info in infos:
            names = {_normal(info.name.split("-", 1)[0])}
            if wanted in names or (not wanted and directory.name in _own_names(info)):
                return info
        if len(infos) == 1 and place == directory:
            return infos[0]
    return None


def _own_names(info: Path) -> Iterator[str]:
    """The packages and modules that a distribution brought, by its list of files."""
    listed = _text(info / "RECORD", _MOST_BYTES_A_LIST).splitlines()
    for line in listed:
        path = line.partition(",")[0].strip('"')
        if not path.endswith(".py") or path.startswith(("..", "/")):
            continue
        first, _, rest = path.partition("/")
        if not rest:
            yield first.removesuffix(".py")
        elif "/" in rest and not (info.parent / first / "__init__.py").is_file():
            # Several distributions share a namespace package.
            yield f"{first}.{rest.partition('/')[0]}"
        else:
            yield first


def _scripts(info: Path, package: Package, program: str) -> list[Start]:
    entries = configparser.ConfigParser(delimiters=("=",), interpolation=None)
    entries.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        entries.read_string(_text(info / "entry_points.txt", _MOST_BYTES_A_LIST))
    except configparser.Error:
        return []
    scripts = dict(entries["console_scripts"]) if "console_scripts" in entries else {}
    own = _normal(info.name.split("-", 1)[0])
    for name in sorted(scripts, key=lambda name: (name != program, _normal(name) != own, "mcp" not in name)):
        module, _, function = scripts[name].partition("[")[0].strip().partition(":")
        if path := python_for(package.root, module.strip()):
            return [Start(path.resolve(), function.strip())]
    return []


def _main_modules(package: Package) -> list[Start]:
    for name in sorted(package.own):
        for module in (f"{name}.__main__", f"{name}.server", f"{name}.main", name):
            if path := python_for(package.root, module):
                return [Start(path.resolve())]
    return []


def _manifest(path: Path) -> dict[str, JsonValue]:
    try:
        document = parse_json(_text(path, _MOST_BYTES_A_LIST))
    except AvowError:
        return {}
    return document if isinstance(document, dict) else {}


def _text(path: Path, most: int) -> str:
    try:
        return read_bounded(path, most).decode("utf-8", "replace")
    except StorageError:
        return ""


def _normal(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")
