"""What is said of a registry whose answers are none."""

from collections.abc import Iterator
from contextlib import contextmanager

from avow.errors import PeerProtocolError


@contextmanager
def understood() -> Iterator[None]:
    """Read answers of a registry in this block or function: where a member is missing or wrong, that is said.

    Raises:
        PeerProtocolError: what the registry answers cannot be understood.
    """
    try:
        yield
    except UnicodeError:
        # A terminal that cannot show something is not the registry's fault.
        raise
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError) as exc:
        raise no_answer() from exc


def no_answer() -> PeerProtocolError:
    """The error for an answer that is none."""
    return PeerProtocolError(
        "the registry answers something that is none",
        hint="is the address right, and is a registry of this version there?",
    )
