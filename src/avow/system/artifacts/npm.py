"""npm packages: what `npx` cached, what `node_modules` holds, and the integrity that npm noted for it."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from avow.core.artifact import Artifact
from avow.core.canonical import JsonObject, parse_json
from avow.system.files import read_bounded

_SPEC: Final = re.compile(r"((?:@[a-z0-9~][a-z0-9._~-]*/)?[a-z0-9~][a-z0-9._~-]*)(?:@([^/:@]+))?")
_EXACT: Final = re.compile(r"v?([0-9]+\.[0-9]+\.[0-9]+(?:[-+][0-9A-Za-z.+-]+)?)")
_NPX_VALUES: Final = frozenset({"--cache", "--registry", "--prefix", "--userconfig", "-w", "--workspace"})
_NODE_VALUES: Final = frozenset(
    {"-r", "--require", "--import", "--loader", "--env-file", "-C", "--conditions"}
)


def behind_npx(args: Sequence[str], env: Mapping[str, str], directory: Path) -> Artifact | None:
    """The package that `npx ARGS` runs: of the project, or of its own cache."""
    spec = _npx_spec(args)
    parsed = _SPEC.fullmatch(spec) if spec else None
    if spec is None or parsed is None:
        return None
    name, wanted = parsed.group(1), parsed.group(2) or ""
    exact = _EXACT.fullmatch(wanted)
    if not wanted or exact:
        for place in (directory, *directory.parents):
            package = place / "node_modules" / name
            if package.is_dir():
                local = _described(package, pinned=exact is not None)
                if local and (exact is None or local.version == exact.group(1)):
                    return local
                break
    # npx names the directory after the specifiers it was asked for.
    label = hashlib.sha512(spec.encode()).hexdigest()[:16]
    cached = _cache(args, env) / "_npx" / label / "node_modules" / name
    return _described(cached, pinned=exact is not None)


def behind_node(args: Sequence[str], directory: Path) -> Artifact | None:
    """The package that the script of `node ARGS` belongs to."""
    script = next(_positionals(args, _NODE_VALUES), None)
    return None if script is None else around(directory / script)


def around(path: Path) -> Artifact | None:
    """The package that a file belongs to, when it is in some `node_modules`."""
    parts = path.resolve().parts
    if "node_modules" not in parts:
        return None
    start = len(parts) - parts[::-1].index("node_modules")
    length = 2 if parts[start : start + 1] and parts[start].startswith("@") else 1
    return _described(Path(*parts[: start + length]), pinned=False)


def _npx_spec(args: Sequence[str]) -> str | None:
    """The one package that is asked for; None when there are several, or none is named."""
    named = [value for flag, value in pairwise(args) if flag in {"-p", "--package"}]
    named += [arg.partition("=")[2] for arg in args if arg.startswith("--package=")]
    if named:
        return named[0] if len(named) == 1 else None
    if "-c" in args or "--call" in args:
        return None
    return next(_positionals(args, _NPX_VALUES), None)


def _positionals(args: Sequence[str], with_value: frozenset[str]) -> Iterator[str]:
    waiting = iter(args)
    for arg in waiting:
        if arg in with_value:
            next(waiting, None)
        elif arg == "--":
            yield from waiting
        elif not arg.startswith("-"):
            yield arg


def _cache(args: Sequence[str], env: Mapping[str, str]) -> Path:
    given = [value for flag, value in pairwise(args) if flag == "--cache"]
    for name in ("npm_config_cache", "NPM_CONFIG_CACHE"):
        given += [env[name]] if env.get(name) else []
    return Path(given[0]) if given else Path(env.get("HOME", "")) / ".npm"


def _described(package: Path, *, pinned: bool) -> Artifact | None:
    manifest_file = package / "package.json"
    if not manifest_file.is_file():
        return None
    manifest = _read_object(manifest_file)
    name, version = manifest.get("name"), manifest.get("version")
    if not isinstance(name, str) or not isinstance(version, str):
        return None
    match _noted(package.resolve()):
        # What npm noted is about what npm installed; another version there now is somebody else's work.
        case {"version": noted, "integrity": str(integrity)} if noted == version:
            return Artifact("npm", name, version, integrity, pinned=pinned)
        case _:
            return Artifact("npm", name, version, pinned=pinned)


def _noted(package: Path) -> JsonObject:
    """What npm's hidden lockfile says about an installed package; empty when it says nothing."""
    at = package.parts.index("node_modules") if "node_modules" in package.parts else 0
    hidden = Path(*package.parts[: at + 1]) / ".package-lock.json"
    if not at or not hidden.is_file():
        return {}
    packages = _read_object(hidden).get("packages")
    entry = packages.get("/".join(package.parts[at:])) if isinstance(packages, dict) else None
    return entry if isinstance(entry, dict) else {}


def _read_object(path: Path) -> JsonObject:
    document = parse_json(read_bounded(path))
    return document if isinstance(document, dict) else {}
