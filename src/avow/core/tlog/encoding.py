"""Bytes as base64 in its one canonical spelling, as notes, checkpoints and proofs carry them."""

import base64
import binascii


def to_base64(data: bytes) -> str:
    """Standard base64, padded."""
    return base64.b64encode(data).decode("ascii")


def from_base64(text: str) -> bytes | None:
    """The inverse, or `None`: also for another spelling of the same bytes, down to the unused last bits."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if to_base64(data) == text else None
