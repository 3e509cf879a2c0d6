"""What a report says, before any format gives it a shape."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from avow.core.severity import Severity
from avow.core.snapshot import Snapshot
from avow.system.checking import Compared, Failed, NeedsConfiguration, Outcome, Variance


@dataclass(frozen=True, slots=True)
class SnapshotReport:
    """One server; `variance` is None when nobody looked for it.

    `needs` are what it can be told, found out for a server that declares nothing about that.
    """

    snapshot: Snapshot
    variance: Variance | None = None
    needs: tuple["Need", ...] = ()


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that a server can be told; values are no part of it."""

    name: str
    kind: str
    type: str
    required: bool
    sensitive: bool
    present: bool
    source: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class DriftReport:
    """The outcome for each server, and what it is measured against.

    `file` is where the approved side is written, when it is in one. `many` is false when two things were
    compared and there is nothing to tell apart by name; `can_approve` is false where nothing is approved.
    """

    outcomes: tuple[Outcome, ...]
    threshold: Severity
    file: Path | None = None
    many: bool = True
    can_approve: bool = True

    @property
    def compared(self) -> tuple[Compared, ...]:
        """The servers that could be looked at."""
        return tuple(outcome for outcome in self.outcomes if isinstance(outcome, Compared))

    @property
    def failed(self) -> tuple[Failed, ...]:
        """The servers that could not."""
        return tuple(outcome for outcome in self.outcomes if isinstance(outcome, Failed))

    @property
    def refused(self) -> Mapping[str, str]:
        """Servers that may not be used for another reason than drift, and that reason."""
        return {}

    @property
    def remarks(self) -> tuple[str, ...]:
        """What has to be known about the answers themselves: that one is old."""
        return ()

    @property
    def is_clean(self) -> bool:
        """Whether every server was looked at and none differs."""
        return not self.failed and not any(outcome.drift for outcome in self.compared)

    @property
    def exit_code(self) -> int:
        """2 when a server could not be looked at, else 1 at or above the threshold, else 0.

        A configuration that is not complete is something found.
        """
        if not all(isinstance(failed, NeedsConfiguration) for failed in self.failed):
            return 2
        if self.failed:
            return 1
        found = (outcome.highest for outcome in self.compared)
        return int(any(severity is not None and severity >= self.threshold for severity in found))

    def verdict(self, compared: Compared) -> str:
        """One server in a few words."""
        return compared.counts or ("as approved" if self.can_approve else "no drift")

    @property
    def closing(self) -> str:
        """The last line: the sum of it, and what to do next."""
        drifted = [outcome.name for outcome in self.compared if outcome.drift]
        if not self.can_approve:
            return ""
        if not drifted:
            return self._without_drift()
        where = [] if self.file in (None, Path("avow.lock")) else ["--lockfile", str(self.file)]
        return f"If you expected this, approve it: {shlex.join(['avow', 'lock', *where, *drifted])}"

    def _without_drift(self) -> str:
        if self.failed:
            return "What could not be looked at is not approved: repair it and check again."
        count = len(self.compared)
        return "The server is as approved." if count == 1 else f"All {count} servers are as approved."
