"""Looking at a server more than once: a second time in the session, and under other names.

A server that treats clients differently by their name, or changes its lists between two questions,
shows it here.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from avow.core.snapshot import Era, Snapshot
from avow.core.target import HttpTarget, StdioTarget, Target
from avow.errors import MalformedInputError, UnavailableError
from avow.system.connect.further import Further, look_further
from avow.system.connect.negotiation import Opening
from avow.system.connect.opening import open_session
from avow.system.connect.options import ConnectOptions, Look, Observation
from avow.system.connect.sameness import is_same
from avow.system.connect.session import AGAINST_ITSELF, Session, by_client
from avow.system.connect.settling import QUIET, QUIET_AS_EXPECTED
from avow.system.connect.starting import Program

# Clients that people use, and us: for whoever is on their best behaviour, or not, before a scanner.
CLIENT_NAMES: Final = ("claude-ai", "cursor-vscode", "avow")
MORE_CLIENT_NAMES: Final = ("claude-code", "Visual Studio Code")


def observe_live(
    target: Target, options: ConnectOptions, program: Program | None, *, thorough: bool
) -> Observation:
    """Every look at a server that is worth it; `program` is the server, if it was started already."""
    names = _other_names(options.client_name, thorough=thorough)
    with open_session(target, options, program) as session:
        # Whoever is about to be looked at under other names has time to change its mind until then.
        goes_on = session.era is Era.LEGACY and not isinstance(target, HttpTarget)
        first, *others = session.look(twice=True, moment=0.0 if goes_on else QUIET_AS_EXPECTED)
        moment = QUIET if thorough else QUIET_AS_EXPECTED
        shown = others[0].snapshot if others and others[0].seen == AGAINST_ITSELF else first.snapshot
        looks, doubtful = _look_as_others(target, session, shown, names, moment)
    sessions = _further_sessions(target, session.era, names, doubtful, thorough=thorough)
    # Where there is doubt, a new session gets all the time to change that there is.
    expected = None if doubtful and goes_on else first.snapshot.signature.digest
    further, notes = look_further(target, replace(options, expected=expected), sessions)
    snapshot = replace(first.snapshot, notes=(*first.snapshot.notes, *notes))
    return Observation(snapshot, (*others, *looks, *further))


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


def _further_sessions(
    target: Target, era: Era, names: Sequence[str], doubtful: Sequence[str], *, thorough: bool
) -> list[Further]:
    """What the first session could not show."""
    if doubtful:
        rest = [name for name in names if name not in doubtful] if thorough else []
        return [Further(by_client(name), name, Opening.HANDSHAKE) for name in (*doubtful, *rest)]
    if thorough and isinstance(target, StdioTarget):
        # What a program makes up when it starts, such as a time, shows only when it starts again.
        opening = Opening.DISCOVER if era is Era.MODERN else Opening.HANDSHAKE
        return [Further("in a second session", None, opening)]
    return []
