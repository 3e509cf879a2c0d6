"""What is known about a server's needs beside a look at it that was taken anyway, or that failed."""

from avow.core.snapshot import Snapshot
from avow.errors import ServerLaunchError
from avow.system.connect import ServerExitedError
from avow.system.diagnosis.evidence import Outcome
from avow.system.diagnosis.examining import Examined, judged
from avow.system.diagnosis.model import Status
from avow.system.targets import Reachable


def needs_beside(reachable: Reachable, snapshot: Snapshot) -> Examined:
    """What the package of a server that works says about its needs; the server is not started for it."""
    return judged(reachable, Outcome.OK, snapshot=snapshot)


def explained(reachable: Reachable, error: ServerExitedError) -> ServerLaunchError:
    """The same error with what the server needs, as far as its words and its package tell."""
    advice = remedy(reachable, error.output, error.code)
    return ServerLaunchError(error.message, hint=advice) if advice else error


def remedy(reachable: Reachable, words: str, code: int | None) -> str:
    """What a server that left needs and what to do next; empty where nobody can tell."""
    found = judged(reachable, Outcome.EXITED, words=words, code=code).diagnosis
    return "" if found.status is Status.ERROR else f"{found.message}; next: {found.next}"
