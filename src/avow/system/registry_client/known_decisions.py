"""Whether an answer leaves a decision out that is known to be in a registry's log.

A client reads all that is new in a log, and remembers where in it somebody decided about what. What was
shown once counts as well, read or not.
"""

from collections.abc import Iterable

from avow.core.publication import ServerName
from avow.core.tlog.checkpoint import VerifiedCheckpoint
from avow.system.registry_client.client import RegistryClient
from avow.system.registry_client.contact import refusal
from avow.system.registry_client.known_log import KnownLog, remember_log
from avow.system.registry_client.log_reading import read_on
from avow.system.registry_client.remembered import Memory, place


def require_all(
    client: RegistryClient,
    memory: Memory,
    checkpoint: VerifiedCheckpoint,
    name: ServerName,
    environment: str,
    shown: Iterable[int],
) -> KnownLog:
    """Check that what a registry shows of the decisions about a server leaves none out that is known of.

    The answer is all that is known of the log; `unread` entries of it may hold what nobody showed.

    Raises:
        ForkError: one is left out, or the log is not what it was with what is new in it.
        MalformedInputError: an answer makes no sense.
        UnavailableError: the registry does not answer, or nothing can be remembered.
    """
    indices = frozenset(shown)
    known = read_on(client, memory, checkpoint).with_decisions({place(str(name), environment): indices})
    # First of all: who hides something once may not find it forgotten the next time.
    remember_log(memory, known)
    # What another process has seen since our checkpoint is not for this answer.
    there = {each for each in known.decided(str(name), environment) if each < checkpoint.checkpoint.size}
    if hidden := sorted(there - indices):
        what = f"its answer leaves out entry {hidden[0]} of its log, about {name} in {environment}"
        raise refusal(client, memory, checkpoint, what, {"hidden": hidden, "shown": sorted(indices)})
    return known
