"""Whether two looks at a server show the same."""

from avow.core.canonical import canonical
from avow.core.snapshot import Snapshot


def is_same(one: Snapshot, other: Snapshot) -> bool:
    """Whether two looks show the same, but for values that the server makes up at each."""
    if _account(one) != _account(other):
        return False
    if one.signature.digest == other.signature.digest:
        return True
    # Few servers ever get here, and what compares takes a while to import.
    from avow.core.volatile import volatile_pointers, with_volatile

    pointers = volatile_pointers(one, (other,))
    return with_volatile(one, pointers).signature.digest == with_volatile(other, pointers).signature.digest


def _account(snapshot: Snapshot) -> bytes:
    """What a server says about itself besides its signature."""
    return canonical(
        [
            snapshot.protocol_version,
            snapshot.server,
            snapshot.capabilities,
            snapshot.instructions,
            snapshot.configuration_schema,
            snapshot.complete,
        ]
    )
