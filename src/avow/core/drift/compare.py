"""`diff`: every difference between two snapshots, typed and rated."""

from avow.core.drift.model import Drift
from avow.core.snapshot import Snapshot


def diff(before: Snapshot, after: Snapshot) -> tuple[Drift, ...]:
    """List every difference between what was approved and what is there, most severe first."""
    raise NotImplementedError
