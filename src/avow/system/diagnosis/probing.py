"""Following requirements that appear one at a time: start again with placeholders for all that is known.

Nothing real is at stake: each start has a home directory that is thrown away, an environment without
anybody's values, and placeholders that open nothing.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from avow.core.configuration.handover import lay_out
from avow.core.configuration.hazards import sets_loader
from avow.core.configuration.model import Binding, Configuration, Parameter, Where
from avow.core.credentials import MASK, shown_command
from avow.core.target import StdioTarget
from avow.system.connect import ConnectOptions
from avow.system.diagnosis.evidence import Evidence, Outcome
from avow.system.diagnosis.model import Diagnosis, Status
from avow.system.diagnosis.naming import guessed_type
from avow.system.diagnosis.placeholders import placeholder
from avow.system.diagnosis.starting import Tried, try_once
from avow.system.processes import INHERITED, placeholders

MOST_STARTS: Final = 8
_FILLED: Final = (Where.ENV, Where.ARGUMENT)

# Where package runners keep what they downloaded: not a secret, and slow to do without.
_CACHES: Final = {
    "npm_config_cache": ".npm",
    "UV_CACHE_DIR": ".cache/uv",
    "UV_TOOL_DIR": ".local/share/uv/tools",
    "UV_PYTHON_INSTALL_DIR": ".local/share/uv/python",
}
# Of what lies in a home, and of the sockets of whoever is logged in, it sees nothing either.
_OWN: Final = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_CACHE_HOME": ".cache",
    "XDG_STATE_HOME": ".local/state",
    "XDG_RUNTIME_DIR": ".run",
}
_NOTHING: Final = "placeholder"


@dataclass(frozen=True, slots=True)
class Probing:
    """How to go about it: the diagnosis of one start, and when to stop."""

    diagnose: Callable[[Evidence], Diagnosis]
    until: float
    timeout: float
    on_progress: Callable[[str], None] | None = None


@dataclass(frozen=True, slots=True)
class Probed:
    """Everything that was asked for on the way, and how the last start ended."""

    found: tuple[Parameter, ...]
    last: Diagnosis
    starts: int


def probe(target: StdioTarget, first: Diagnosis, known: Evidence, probing: Probing) -> Probed:
    """Start the server with placeholders until it works, or asks for nothing new.

    `target` is the one without anybody's values: its own placeholders are filled with ours.
    """
    found = {one.key: one for one in first.required}
    last, starts = first, 0
    while last.status is Status.NEEDS_CONFIGURATION and starts < MOST_STARTS:
        if time.monotonic() >= probing.until:
            break
        if probing.on_progress is not None:
            probing.on_progress(f"starting with {len(found)} placeholders")
        starts += 1
        tried = _start(target, tuple(found.values()), known, probing)
        last = probing.diagnose(tried.evidence)
        new = {one.key: one for one in last.required if one.key not in found}
        if not new or tried.evidence.outcome is Outcome.OK:
            break
        found |= new
    return Probed(tuple(found.values()), last, starts)


def merged(first: Diagnosis, probed: Probed) -> Diagnosis:
    """The first diagnosis with everything that further starts asked for."""
    known = {one.key for one in first.parameters}
    new = tuple(replace(one, required=True) for one in probed.found if one.key not in known)
    wanted = {one.key for one in probed.found}
    before = (
        replace(one, required=True) if one.key in wanted and one.key not in first.proposed else one
        for one in first.parameters
    )
    return replace(first, parameters=(*before, *new))


def _start(target: StdioTarget, wanted: tuple[Parameter, ...], known: Evidence, probing: Probing) -> Tried:
    with _throw_away_home() as home:
        filled = [one for one in wanted if one.binding.where in _FILLED and not sets_loader(one)]
        texts = {one.key: (placeholder(one, home),) for one in filled}
        applied = lay_out(Configuration.of(filled), texts)
        bare = _without_values(target, home)
        launch = replace(bare, args=(*bare.args, *applied.arguments), env=())
        environment = {**_home_variables(home), **applied.env}
        given = frozenset({*known.given, *(one.binding.name for one in wanted)})
        left = max(1.0, min(probing.timeout, probing.until - time.monotonic()))
        options = ConnectOptions(timeout=left, env=environment)
        return try_once(launch, options, replace(known, outcome=Outcome.NOT_TRIED, given=given))


@contextmanager
def _throw_away_home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="avow-probe-", ignore_cleanup_errors=True) as place:
        yield Path(place)


def _home_variables(home: Path) -> dict[str, str]:
    """A home of its own, with the caches of package runners left where they are."""
    real = Path.home()
    caches = {name: os.environ.get(name, str(real / place)) for name, place in _CACHES.items()}
    return {"HOME": str(home), **{name: str(home / place) for name, place in _OWN.items()}, **caches}


def _without_values(target: StdioTarget, home: Path) -> StdioTarget:
    """The target with placeholders for what seems to be a credential, and for variables of ours."""
    command, *args = (_filled(word.replace(MASK, _NOTHING), home) for word in shown_command(target))
    cwd = None if target.cwd is None else _filled(target.cwd, home)
    return replace(target, command=command, args=tuple(args), cwd=cwd)


def _filled(word: str, home: Path) -> str:
    for name in placeholders(word):
        word = word.replace(f"${{{name}}}", _value(name, home))
    return word


def _value(name: str, home: Path) -> str:
    """A value for a variable in a command: the real one only where it is no secret, as a path is none."""
    real = os.environ.get(name, "")
    if name in INHERITED or (Path(real).is_absolute() and Path(real).exists()):
        return real
    return placeholder(Parameter(name, Binding(Where.ENV, name), type=guessed_type(name)), home)
