"""Several messages in one JSON array, which only 2025-03-26 has."""

from collections.abc import Sequence

from avow.protocol.messages import Form, Message, UnreadableMessageError, read


def read_part(element: bytes) -> Message:
    """One message of a batch.

    Raises:
        UnreadableMessageError: it is no message, or another batch.
    """
    part = read(element)
    if part.form is Form.BATCH:
        raise UnreadableMessageError("a batch inside a batch")
    return part


def rebuild(whole: bytes, parts: Sequence[bytes], passed: list[bytes]) -> tuple[bytes, ...]:
    """A batch as it came when all of it passes, or what is left of it."""
    if passed == list(parts):
        return (whole,)
    return (b"[" + b",".join(passed) + b"]",) if passed else ()
