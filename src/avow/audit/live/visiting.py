"""Opening talks with one server within the time that there is for all of them."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from avow.audit.live.talk import Talk, talk
from avow.core.target import HttpTarget, PythonTarget, Target
from avow.errors import ServerTimeoutError
from avow.system.connect.options import ConnectOptions, Limits

# No real list is longer than a part of this, and a flood has to end somewhere.
_LIMITS: Final = Limits(message_bytes=4 * 1024 * 1024, total_bytes=16 * 1024 * 1024)
# A visitor is in no hurry where a server takes its time, and still notices when one says nothing at all.
_PATIENCE_FACTOR: Final = 3.0
_PATIENCE_MORE: Final = 2.0
_GRACE_FACTOR: Final = 3.0
_LEAST_GRACE: Final = 0.3
_MOST_GRACE: Final = 5.0


class NoTimeLeftError(ServerTimeoutError):
    """The time for all probes of a server is used up."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """How to reach a server, when all has to be over, and how long to wait for what."""

    target: Target
    options: ConnectOptions
    end: float
    patience: float
    grace: float = 0.5
    moment: float = 0.3

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self.end - time.monotonic()

    @property
    def is_over_http(self) -> bool:
        """Whether there are headers, and sessions that the server keeps."""
        return isinstance(self.target, HttpTarget)

    @property
    def at_once(self) -> int:
        """How many talks may be open at a time: objects in our own process share everything."""
        return 1 if isinstance(self.target, PythonTarget) else 2

    def acquainted(self, session: float, lists: float) -> "Visitor":
        """The same for a server of which an ordinary session took so long, and its lists so long of that."""
        return replace(
            self,
            patience=_PATIENCE_FACTOR * session + _PATIENCE_MORE,
            grace=min(max(_LEAST_GRACE, _GRACE_FACTOR * lists), _MOST_GRACE),
        )

    @contextmanager
    def visit(self) -> Iterator[Talk]:
        """A talk on a fresh connection.

        Raises:
            NoTimeLeftError: it is too late for that.
            AvowError: the server cannot be started, or the address is none.
        """
        if self.left <= 0:
            raise NoTimeLeftError("no time was left for it")
        options = replace(self.options, timeout=self.left, limits=_LIMITS)
        with talk(self.target, options, self.patience) as opened:
            opened.grace, opened.moment = self.grace, self.moment
            yield opened
