"""How a registry spells a time; nothing else decides it."""

from datetime import datetime


def rfc3339(at: datetime) -> str:
    """RFC 3339 in UTC, with milliseconds, as entries of the log write it; `at` is in UTC."""
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"
