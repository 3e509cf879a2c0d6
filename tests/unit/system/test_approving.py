"""What approving does to a lockfile."""

from dataclasses import replace

import pytest

from avow.core.capability import Signature
from avow.core.lockfile import Entry, Lockfile
from avow.core.snapshot import Era, Snapshot
from avow.core.target import StdioTarget
from avow.errors import LockfileError
from avow.system.approving import Candidate, approve

ENTRY = Entry(Snapshot(StdioTarget("old"), {"name": "x"}, "2025-11-25", Era.LEGACY, {}, Signature()))
MOVED = Entry(replace(ENTRY.snapshot, target=StdioTarget("new")))


def test_a_new_server_is_added() -> None:
    """And somebody has to say yes to it."""
    candidate = Candidate("x", ENTRY, None, (), {})

    assert (candidate.status, candidate.needs_approval) == ("added", True)
    assert approve(Lockfile(), [candidate]).servers == {"x": ENTRY}


def test_an_unchanged_server_needs_nobody() -> None:
    """Nothing about it is new."""
    candidate = Candidate("x", ENTRY, ENTRY, (), {})

    assert (candidate.status, candidate.needs_approval) == ("unchanged", False)


def test_a_name_for_another_command_needs_approval() -> None:
    """The same tools from another program are not the same server."""
    candidate = Candidate("x", MOVED, ENTRY, (), {})

    assert (candidate.status, candidate.needs_approval) == ("updated", True)


def test_an_entry_that_changed_in_the_meantime_is_not_overwritten() -> None:
    """What was read and approved was the difference to the old entry, not to this one."""
    candidate = Candidate("x", MOVED, None, (), {})

    with pytest.raises(LockfileError, match="while you were reading"):
        approve(Lockfile({"x": ENTRY}), [candidate])
