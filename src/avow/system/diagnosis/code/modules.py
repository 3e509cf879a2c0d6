"""Which file an import means."""

from pathlib import Path
from typing import Final

_LONGEST_NAME: Final = 200
SCRIPTS: Final = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx")
# TypeScript names the file that the compiler will write.
_COMPILED: Final = {".js": ".ts", ".mjs": ".mts", ".cjs": ".cts", ".jsx": ".tsx"}


def script_for(base: Path, name: str) -> Path | None:
    """The file that a relative import from a directory means."""
    if len(name) > _LONGEST_NAME or "\0" in name:
        return None
    wanted = base / name
    candidates = [wanted]
    if wanted.suffix in _COMPILED:
        candidates.append(wanted.with_suffix(_COMPILED[wanted.suffix]))
    candidates += [wanted.with_name(wanted.name + suffix) for suffix in SCRIPTS]
    candidates += [wanted / f"index{suffix}" for suffix in SCRIPTS]
    return next((each for each in candidates if each.is_file() and each.suffix in SCRIPTS), None)


def python_for(root: Path, dotted: str) -> Path | None:
    """The file of a Python module under a directory."""
    if len(dotted) > _LONGEST_NAME or "\0" in dotted:
        return None
    base = root.joinpath(*dotted.split("."))
    return next((each for each in (base / "__init__.py", base.with_suffix(".py")) if each.is_file()), None)
