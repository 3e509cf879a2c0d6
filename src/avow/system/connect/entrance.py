"""The two ways to look at a target: one session, or as many as it takes.

A program is started first: what talks to it takes a while to load, and is loaded while it starts.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from avow.core.snapshot import Snapshot
from avow.core.target import FileTarget, StdioTarget, Target
from avow.system.connect.options import ConnectOptions, Observation
from avow.system.connect.starting import Program, start_program


def take_snapshot(target: Target, options: ConnectOptions) -> Snapshot:
    """What the server shows in one session.

    Raises:
        AvowError: the server cannot be reached, or what it says cannot be read.
    """
    if isinstance(target, FileTarget):
        return _read_file(target)
    with _started(target, options) as program:
        from avow.system.connect.opening import open_session, usual_opening

        with open_session(target, options, usual_opening(options.era), program) as session:
            return session.look()[0].snapshot


def observe(target: Target, options: ConnectOptions, *, thorough: bool) -> Observation:
    """Look as often as it takes to see whether the server always shows the same.

    Every list is asked for twice, and again under other names: on the same connection where the server
    allows it, else on new ones, as many as a thorough look is worth.

    Raises:
        AvowError: the server cannot be reached, or what it says cannot be read.
    """
    if isinstance(target, FileTarget):
        return Observation(_read_file(target))
    with _started(target, options) as program:
        from avow.system.connect.observing import observe_live

        return observe_live(target, options, program, thorough=thorough)


@contextmanager
def _started(target: Target, options: ConnectOptions) -> Iterator[Program | None]:
    """The program, if the target is one."""
    if not isinstance(target, StdioTarget):
        yield None
        return
    program = start_program(target, options)
    try:
        yield program
    finally:
        program.end()


def _read_file(target: FileTarget) -> Snapshot:
    from avow.system.snapshots import read_snapshot

    return read_snapshot(Path(target.path))
