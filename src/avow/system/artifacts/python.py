"""PyPI packages: what a Python environment, or uv's tools and cache, say about what they installed."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Final

from avow.core.artifact import Artifact
from avow.core.canonical import digest, parse_json
from avow.system.files import read_bounded

_INTERPRETER: Final = re.compile(r"python(?:[0-9]+(?:\.[0-9]+)?)?|pypy3?")
_SPEC: Final = re.compile(
    r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:\[[^]]*\])?\s*(?:(==|@)\s*([^\s,;]+)|[<>=!~].*)?"
)
_SEPARATORS: Final = re.compile(r"[-_.]+")
_UVX_VALUES: Final = frozenset(
    {"--with", "--with-editable", "--with-requirements", "-p", "--python", "--index", "--default-index"}
    | {"-i", "--index-url", "--extra-index-url", "-f", "--find-links", "--directory", "--project"}
    | {"--env-file", "-c", "--constraints", "--cache-dir", "--config-file", "-P", "--refresh-package"}
)
_PYTHON_VALUES: Final = frozenset({"-W", "-X"})
# Files that the installer writes, and that differ between installers.
_NOT_OF_THE_PACKAGE: Final = ("INSTALLER", "REQUESTED", "RECORD", "direct_url.json", "uv_cache.json")
_RECORD_LIMIT: Final = 16 * 1024 * 1024
_MOST_PACKAGES: Final = 5_000
_MOST_ENVIRONMENTS: Final = 5_000


def is_interpreter(program: str) -> bool:
    """Whether a program of this name is Python itself."""
    return _INTERPRETER.fullmatch(program) is not None


def behind_uvx(args: Sequence[str], env: Mapping[str, str]) -> Artifact | None:
    """The package that `uvx ARGS` runs: an installed tool, or what all cached environments agree on."""
    spec = _SPEC.fullmatch(_uvx_spec(args) or "")
    if spec is None:
        return None
    name, version = spec.group(1), spec.group(3)
    pinned = version is not None and version != "latest"
    installed = _data_directory(env, "UV_TOOL_DIR", "XDG_DATA_HOME", ".local/share", "uv/tools") / name
    if version is None and (tool := _only(_named(name, _sites(installed)))):
        return tool
    cache = _data_directory(env, "UV_CACHE_DIR", "XDG_CACHE_HOME", ".cache", "uv")
    # Older releases of uv keep environments one level higher.
    places = chain(cache.glob("environments-v*/*/pyvenv.cfg"), cache.glob("environments-v*/*/*/pyvenv.cfg"))
    environments = islice(places, _MOST_ENVIRONMENTS)
    found = [a for place in environments for a in _named(name, _sites(place.parent))]
    artifact = _only(a for a in found if not pinned or a.version == version)
    return None if artifact is None else replace(artifact, pinned=pinned)


def behind_module(interpreter: Path, args: Sequence[str]) -> Artifact | None:
    """The package that `python -m MODULE` runs from."""
    name = _module(args)
    if name is None:
        return None
    module = name.replace(".", "/")
    files = {f"{module}.py", f"{module}/__main__.py", f"{module}/__init__.py"}
    sites = [s for s in _sites_of(interpreter) if any((s / name).is_file() for name in files)]
    return _only(
        _described(info) for site in sites for info in _infos(site) if files & _recorded(info).keys()
    )


def behind_script(script: Path) -> Artifact | None:
    """The package that a console script in an environment's `bin` came with."""
    place = script.resolve()
    entry = re.compile(rf"(?m)^{re.escape(place.name)}\s*=")
    return _only(
        _described(info)
        for site in _sites(place.parent.parent)
        for info in _infos(site)
        if entry.search(_text(info / "entry_points.txt"))
    )


def _module(args: Sequence[str]) -> str | None:
    waiting = iter(args)
    for arg in waiting:
        if arg == "-m":
            return next(waiting, None)
        if arg in _PYTHON_VALUES:
            next(waiting, None)
        elif not arg.startswith("-"):
            return None
    return None


def _uvx_spec(args: Sequence[str]) -> str | None:
    waiting = iter(args)
    first = None
    for arg in waiting:
        if arg == "--from":
            return next(waiting, None)
        if arg.startswith("--from="):
            return arg.partition("=")[2]
        if arg in _UVX_VALUES:
            next(waiting, None)
        elif not arg.startswith("-"):
            first = arg
            break
    return first


def _data_directory(env: Mapping[str, str], own: str, shared: str, default: str, inside: str) -> Path:
    if env.get(own):
        return Path(env[own])
    base = Path(env[shared]) if env.get(shared) else Path(env.get("HOME", "")) / default
    return base / inside


def _sites_of(interpreter: Path) -> list[Path]:
    """Where an interpreter finds packages: in its virtual environment, or in the installation it is from."""
    if (interpreter.parent.parent / "pyvenv.cfg").is_file():
        return _sites(interpreter.parent.parent)
    resolved = interpreter.resolve()
    own = [site for site in _sites(resolved.parent.parent) if site.parent.name == resolved.name]
    return own or _sites(resolved.parent.parent)


def _sites(prefix: Path) -> list[Path]:
    return [*prefix.glob("lib/python3*/site-packages"), *prefix.glob("lib/python3*/dist-packages")]


def _infos(site: Path) -> Iterator[Path]:
    return islice(site.glob("*.dist-info"), _MOST_PACKAGES)


def _named(name: str, sites: Sequence[Path]) -> Iterator[Artifact]:
    wanted = _normal(name)
    for site in sites:
        for info in _infos(site):
            if _normal(info.name.split("-", 1)[0]) == wanted:
                yield _described(info)


def _only(found: Iterator[Artifact]) -> Artifact | None:
    """The one package that is found, however often; two different ones are none."""
    different: list[Artifact] = []
    for artifact in found:
        if artifact not in different:
            different.append(artifact)
    return different[0] if len(different) == 1 else None


def _described(info: Path) -> Artifact:
    headers = dict(re.findall(r"(?m)^(Name|Version): *(\S+)", _text(info / "METADATA").split("\n\n", 1)[0]))
    tags = re.findall(r"(?m)^Tag: *(\S+)", _text(info / "WHEEL"))
    integrity = "" if _is_editable(info) else digest(sorted(map(list, _recorded(info).items())))
    return Artifact("pypi", _normal(headers["Name"]), headers["Version"], integrity, ",".join(sorted(tags)))


def _recorded(info: Path) -> dict[str, str]:
    """The files of a package and their hashes, as its wheel had them."""
    lines = csv.reader(_text(info / "RECORD").splitlines())
    rows = [(line[0], line[1]) for line in lines if len(line) > 1 and line[1]]
    return {path: noted for path, noted in rows if not _is_installers(path)}


def _is_installers(path: str) -> bool:
    directory, _, name = path.rpartition("/")
    if directory.endswith(".dist-info") and name in _NOT_OF_THE_PACKAGE:
        return True
    return path.startswith(("../", "/")) or path.endswith(".pyc")


def _is_editable(info: Path) -> bool:
    text = _text(info / "direct_url.json")
    origin = parse_json(text) if text else {}
    return bool(origin.get("dir_info", {}).get("editable")) if isinstance(origin, dict) else False


def _text(path: Path) -> str:
    return read_bounded(path, _RECORD_LIMIT).decode() if path.is_file() else ""


def _normal(name: str) -> str:
    return _SEPARATORS.sub("-", name).lower()
