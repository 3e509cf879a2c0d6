"""Looking at a server more than once: a second time in the session, and under other names.

A server that treats clients differently by their name, or changes its lists between two questions,
shows it here.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from avow.core.snapshot import Era, Snapshot
from avow.core.target import FileTarget, StdioTarget, Target
from avow.errors import UnavailableError
from avow.system.connect.negotiation import Opening
from avow.system.connect.opening import open_session
from avow.system.connect.options import ConnectOptions, Look, Observation

CLIENT_NAMES: Final = ("claude-ai", "claude-code", "cursor-vscode", "Visual Studio Code")


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
    """Look as often as it takes to see whether the server always shows the same.

    Every list is asked for twice. A modern server tells clients apart by each request, so it is
    asked under other names as well, and so is one behind HTTP, where a session costs little. A
    program would have to be started again for each name: that is for a thorough look.

    Raises:
        AvowError: the server cannot be reached, or what it says cannot be read.
    """
    if isinstance(target, FileTarget):
        return Observation(_read_file(target))
    names = _other_names(options.client_name, thorough=thorough)
    with open_session(target, options) as session:
        first, *others = session.look(twice=True)
        if session.era is Era.MODERN:
            others += [session.look_as(name) for name in names]
    sessions = _further_sessions(target, session.era, names, thorough=thorough)
    looks, notes = _look_in(target, options, sessions)
    return Observation(replace(first.snapshot, notes=(*first.snapshot.notes, *notes)), (*others, *looks))


def _further_sessions(
    target: Target, era: Era, names: Sequence[str], *, thorough: bool
) -> list[tuple[str, str | None, Opening]]:
    """What the first session could not show: circumstances, a name other than ours, and how to begin."""
    if isinstance(target, StdioTarget) and not thorough:
        return []
    if era is Era.LEGACY:
        return [(f"by a client named {name}", name, Opening.HANDSHAKE) for name in names]
    # What a program makes up when it starts, such as a time, shows only when it starts again.
    return [("in a second session", None, Opening.DISCOVER)] if isinstance(target, StdioTarget) else []


def _other_names(ours: str, *, thorough: bool) -> Sequence[str]:
    """Well-known names, and one that nobody can have prepared for."""
    known = [name for name in CLIENT_NAMES if name != ours]
    return [*(known if thorough else known[-2:-1]), os.urandom(5).hex()]


def _look_in(
    target: Target, options: ConnectOptions, sessions: Sequence[tuple[str, str | None, Opening]]
) -> tuple[list[Look], list[str]]:
    """One session after the other; one that fails is a note, one that cannot be read is an error."""
    looks, notes = [], []
    for seen, name, opening in sessions:
        options.progress(f"looking again, {seen}")
        under = replace(options, client_name=name or options.client_name, on_progress=None)
        try:
            with open_session(target, under, opening) as session:
                looks.append(Look(seen, session.look()[0].snapshot))
        except UnavailableError as exc:
            notes.append(f"a further look, {seen}, failed: {exc.message}")
    return looks, notes


def _read_file(target: FileTarget) -> Snapshot:
    from avow.system.snapshots import read_snapshot

    return read_snapshot(Path(target.path))
