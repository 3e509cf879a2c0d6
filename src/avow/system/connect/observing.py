"""Looking at a server more than once: a second time in the session, and under other names.

A server that treats clients differently by their name, or changes its lists between two questions,
shows it here.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from avow.core.snapshot import Era, Snapshot
from avow.core.target import HttpTarget, Target
from avow.errors import MalformedInputError, UnavailableError
from avow.system.connect.opening import open_session, usual_opening
from avow.system.connect.options import ConnectOptions, Look, Observation
from avow.system.connect.sameness import is_same
from avow.system.connect.session import AGAINST_ITSELF, LeftEarlyError, Session
from avow.system.connect.settling import QUIET, QUIET_AS_EXPECTED
from avow.system.connect.starting import Program

# Clients that people use, and us: for whoever is on their best behaviour, or not, before a scanner.
CLIENT_NAMES: Final = ("claude-ai", "cursor-vscode", "avow")
MORE_CLIENT_NAMES: Final = ("claude-code", "Visual Studio Code")


def observe_live(
    target: Target, options: ConnectOptions, program: Program | None, *, thorough: bool
) -> Observation:
    """Every look at a server that is worth it; `program` is the server, if it was started already.

    Raises:
        ServerLaunchError: a look could not be taken, not even at the second try.
    """
    try:
        return _observe(target, options, program, thorough=thorough)
    except LeftEarlyError:
        return _observe(target, options, None, thorough=thorough)


def _observe(
    target: Target, options: ConnectOptions, program: Program | None, *, thorough: bool
) -> Observation:
    names = _other_names(options.client_name, thorough=thorough)
    opening = usual_opening(options.era)
    with open_session(target, options, opening, program) as session:
        # Whoever is about to be looked at under other names has time to change its mind until then.
        goes_on = session.era is Era.LEGACY and not isinstance(target, HttpTarget)
        first, *others = session.look(twice=True, moment=0.0 if goes_on else QUIET_AS_EXPECTED)
        moment = QUIET if thorough else QUIET_AS_EXPECTED
        shown = others[0].snapshot if others and others[0].seen == AGAINST_ITSELF else first.snapshot
        looks, doubtful = _look_as_others(target, session, shown, names, moment)
    if doubtful or thorough:
        # Most servers need no more than one session for a quick look.
        from avow.system.connect.further import in_other_ways, look_further, under_other_names

        sessions = under_other_names(names, doubtful, thorough=thorough)
        if thorough:
            sessions += in_other_ways(target, session.era, opening, has_started_again=bool(sessions))
        # Where there is doubt, a new session gets all the time to change that there is.
        expected = None if doubtful and goes_on else first.snapshot.signature.digest
        looks += look_further(target, replace(options, expected=expected), sessions)
    era = first.snapshot.era
    marked = (replace(look, other_era=look.snapshot.era is not era) for look in (*others, *looks))
    return Observation(first.snapshot, tuple(marked))


def _other_names(ours: str, *, thorough: bool) -> Sequence[str]:
    """Well-known names; and, if thorough, one that nobody can have prepared for."""
    names = [*CLIENT_NAMES, *MORE_CLIENT_NAMES, os.urandom(5).hex()] if thorough else CLIENT_NAMES
    return [name for name in names if name != ours]


def _look_as_others(
    target: Target, session: Session, first: Snapshot, names: Sequence[str], moment: float
) -> tuple[list[Look], Sequence[str]]:
    """The looks under other names on this connection, and the names that need one of their own.

    A modern server tells clients apart by each request. An older one is asked for a second handshake:
    what it then shows counts where it is the same as before. Where it is not, the second handshake may
    be the reason, or the one before that, late; only new connections tell. The last one gets a `moment`
    for that.
    """
    if session.era is Era.MODERN:
        return [session.look_as(name) for name in names], ()
    if isinstance(target, HttpTarget):
        return [], names
    if not session.has_settled:
        # It is not even the same for one client from one moment to the next.
        return [], ()
    looks: list[Look] = []
    for place, name in enumerate(names):
        try:
            look = session.look_as(name, moment=moment if name == names[-1] else 0.0)
        except (MalformedInputError, UnavailableError):
            return [], names[place::-1]
        if not is_same(first, look.snapshot):
            return [], names[place::-1]
        looks.append(look)
    return looks, ()
