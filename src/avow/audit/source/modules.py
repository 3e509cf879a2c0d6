"""Which file of a tree an import means."""

import posixpath
from collections.abc import Iterable, Iterator
from typing import Final

from avow.audit.source.code import Imported, Unit
from avow.audit.source.vocabulary import SDK_MODULES

_ENDINGS: Final = ("", ".ts", ".js", ".mjs", ".tsx", ".mts", ".cts", ".cjs", "/index.ts", "/index.js")
# What people configure to mean the directory of their sources.
_ALIASES: Final = ("@/", "~/", "#/", "src/")


class Modules:
    """The files of a tree by path, and Python's by every dotted name that could mean them."""

    def __init__(self, paths: Iterable[str]) -> None:
        """Index the paths, which have slashes."""
        self._paths = frozenset(paths)
        self._tails: dict[str, str] = {}
        for path in sorted(self._paths, key=lambda path: (path.count("/"), path)):
            if path.endswith(".py"):
                for tail in _tails(path.removesuffix(".py").removesuffix("/__init__")):
                    self._tails.setdefault(tail, path)

    def imported_by(self, unit: Unit) -> Iterator[str]:
        """Every file that a unit imports."""
        everything = (Imported(module, "") for module in unit.everything_of)
        for imported in (*unit.imports.values(), *everything):
            found = self.find(unit.path, imported)
            if found is not None:
                yield found

    def find(self, importer: str, imported: Imported) -> str | None:
        """The file that an import means; None when it is not in the tree."""
        module = imported.module
        if SDK_MODULES.search(module):
            return None
        if importer.endswith(".py"):
            return self._python(importer, imported)
        if module.startswith("."):
            return self._script(posixpath.join(posixpath.dirname(importer), module))
        for alias in _ALIASES:
            if module.startswith(alias):
                rest = module.removeprefix(alias)
                return self._script(f"src/{rest}") or self._script(rest)
        return None

    def _python(self, importer: str, imported: Imported) -> str | None:
        # `from . import name` and `from package import module` name a module, not something in it.
        dotted = imported.module
        inner = f"{dotted}.{imported.name}" if dotted.strip(".") else f".{imported.name}"
        for name in (inner, dotted) if imported.name else (dotted,):
            path = name.lstrip(".").replace(".", "/")
            if name.startswith("."):
                found = next((p for p in (f"{path}.py", f"{path}/__init__.py") if p in self._paths), None)
            else:
                found = self._tails.get(path)
            if found is not None and found != importer:
                return found
        return None

    def _script(self, path: str) -> str | None:
        base = posixpath.normpath(path)
        # TypeScript writes the name of the file that it will be compiled to.
        stem = base.removesuffix(".js").removesuffix(".mjs").removesuffix(".cjs")
        for candidate in (base, stem):
            for ending in _ENDINGS:
                if candidate + ending in self._paths:
                    return candidate + ending
        return None


def _tails(path: str) -> Iterator[str]:
    """`src/package/module` is also `package/module` and `module`."""
    parts = path.split("/")
    for start in range(len(parts)):
        yield "/".join(parts[start:])
