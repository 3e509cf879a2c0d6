"""Looking at a server more than once: a second time in the session, and under other names.

A server that treats clients differently by their name, or changes its lists between two questions,
shows it here.
"""

import os
import threading
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from avow.core.snapshot import Era, Snapshot
from avow.core.target import FileTarget, HttpTarget, PythonTarget, StdioTarget, Target
from avow.errors import AvowError, UnavailableError
from avow.system.connect.negotiation import Opening
from avow.system.connect.opening import Turnstile, open_session
from avow.system.connect.options import ConnectOptions, Look, Observation
from avow.system.connect.stdio import program_of

CLIENT_NAMES: Final = ("claude-ai", "claude-code", "cursor-vscode", "Visual Studio Code")

# These install what they run, and two of them at once may break each other's installation.
_INSTALLERS: Final = frozenset(
    {"npx", "npm", "pnpm", "pnpx", "yarn", "bunx", "bun", "pipx", "docker", "podman"}
)
_LATECOMER: Final = 5.0


def take_snapshot(target: Target, options: ConnectOptions) -> Snapshot:
    """What the server shows in one session.

    Raises:
        AvowError: the server cannot be reached, or what it says cannot be read.
    """
    if isinstance(target, FileTarget):
        return _read_file(target)
    with open_session(target, options) as session:
        return session.look()[0].snapshot


def observe(target: Target, options: ConnectOptions, *, thorough: bool) -> Observation:
    """Look at a server as often as it takes to see whether it always shows the same.

    Raises:
        AvowError: the server cannot be reached, or what it says cannot be read.
    """
    match target:
        case FileTarget():
            return Observation(_read_file(target))
        case StdioTarget():
            return _observe_program(target, options, thorough=thorough)
        case HttpTarget() | PythonTarget():
            return _observe_by_names(target, options)


class _OtherName(threading.Thread):
    """A session under another name, while the first one is under way."""

    def __init__(self, target: Target, options: ConnectOptions, name: str) -> None:
        super().__init__(daemon=True)
        self.name_given = name
        self.look: Look | None = None
        self.error: AvowError | None = None
        self.turnstile = Turnstile()
        self._target, self._options = target, options

    def run(self) -> None:
        try:
            self.look = _look_as(self._target, self._options, self.name_given, self.turnstile)
        except AvowError as exc:
            self.error = exc

    def end(self) -> None:
        """Leave nothing running, whatever happened to us."""
        self.turnstile.shut()
        if self.is_alive():
            self.join()


def _observe_program(target: StdioTarget, options: ConnectOptions, *, thorough: bool) -> Observation:
    other = _OtherName(target, options, CLIENT_NAMES[0])
    is_concurrent = program_of(target) not in _INSTALLERS
    if is_concurrent:
        other.start()
    try:
        try:
            first, others, era = _first_session(target, options, other.turnstile)
        except UnavailableError:
            # Perhaps the other one held something that only one can have, such as a database.
            if not is_concurrent or not _succeeds(other):
                raise
            first, others, era = _first_session(target, options, other.turnstile)
        if era is Era.MODERN:
            return Observation(first, others)
        looks, notes = _wait_for(other, is_started=is_concurrent)
        if thorough:
            more, problems = _look_under(target, options, (*CLIENT_NAMES[1:], _random_name()))
            looks, notes = looks + more, notes + problems
    finally:
        other.end()
    return Observation(replace(first, notes=(*first.notes, *notes)), (*others, *looks))


def _first_session(
    target: Target, options: ConnectOptions, elsewhere: Turnstile
) -> tuple[Snapshot, tuple[Look, ...], Era]:
    """The first session; a modern server also sees the other names in it, so it needs no second one."""
    with open_session(target, options) as session:
        if session.era is Era.MODERN:
            elsewhere.shut()
        first, *others = session.look(twice=True)
        if session.era is Era.MODERN:
            others += [session.look_as(name) for name in (*CLIENT_NAMES, _random_name())]
    return first.snapshot, tuple(others), session.era


def _succeeds(other: _OtherName) -> bool:
    other.join(_LATECOMER)
    return other.look is not None


def _wait_for(other: _OtherName, *, is_started: bool) -> tuple[list[Look], list[str]]:
    """The look under the other name; alone, when it failed beside the first."""
    if is_started:
        other.join(_LATECOMER)
        if other.look is not None:
            return [other.look], []
        other.end()
    return _look_under(other._target, other._options, [other.name_given])


def _observe_by_names(target: Target, options: ConnectOptions) -> Observation:
    first, others, era = _first_session(target, options, Turnstile())
    if era is Era.MODERN:
        return Observation(first, others)
    looks, notes = _look_under(target, options, (*CLIENT_NAMES, _random_name()))
    return Observation(replace(first, notes=(*first.notes, *notes)), (*others, *looks))


def _look_under(
    target: Target, options: ConnectOptions, names: Iterable[str]
) -> tuple[list[Look], list[str]]:
    """One session after the other; one that fails is a note, one that cannot be read is an error."""
    looks, notes = [], []
    for name in names:
        try:
            looks.append(_look_as(target, options, name, None))
        except UnavailableError as exc:
            notes.append(f"a second session, as a client named {name}, failed: {exc.message}")
    return looks, notes


def _look_as(target: Target, options: ConnectOptions, name: str, turnstile: Turnstile | None) -> Look:
    under = replace(options, client_name=name, on_progress=None)
    with open_session(target, under, Opening.HANDSHAKE, turnstile) as session:
        return Look(f"by a client named {name}", session.look()[0].snapshot)


def _random_name() -> str:
    return os.urandom(5).hex()


def _read_file(target: FileTarget) -> Snapshot:
    from avow.system.snapshots import read_snapshot

    return read_snapshot(Path(target.path))
