"""What a session is held to when a registry has a say: what is approved there, or nothing starts."""

from dataclasses import replace

from avow.cli.approvals import RegistryOptions
from avow.core.lockfile import Entry
from avow.core.publication import ServerName
from avow.core.severity import Severity
from avow.core.target import Target
from avow.protocol.events import Event, event
from avow.system.registry_approvals import ask, judge, publication_of
from avow.system.registry_standing import Standing


def approved_entry(
    held: RegistryOptions, name: ServerName, target: Target, locked: Entry | None
) -> tuple[Entry, Standing]:
    """The entry to hold a server to, and why it may be used; how it is started stays as it is here.

    What a lockfile holds has to be approved as it is: a session gets nothing that only one of both approves.

    Raises:
        NotApprovedError: it is not approved.
        VerificationError: the registry's log was changed, or says something else than the registry.
        AvowError: there is no answer, and none remembered.
    """
    with held.asking() as asking:
        answer = ask(asking, name)
        standing = judge(asking, answer, None if locked is None else locked.snapshot.signature.digest)
        if not standing.is_approved:
            raise standing.error
        publication = publication_of(asking, answer, standing)
    if publication is not None:
        snapshot = replace(publication.snapshot, target=target)
        return Entry(snapshot, None if locked is None else locked.artifact), standing
    # Without a lockfile it is about the version that was approved last, which is always at hand.
    assert locked is not None
    # The registry does not answer, and an earlier version is locked: the entry has its very signature.
    return locked, standing


def approval_event(standing: Standing) -> Event:
    """What the log of a session says about it; one that is in doubt matters more."""
    severity = Severity.MODERATE if standing.doubts else Severity.INFO
    return event("registry_approved", severity, name=str(standing.approved.name), detail=standing.told)
