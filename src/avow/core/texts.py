"""Every text inside a JSON value: what a model may read, and where a secret may hide."""

from collections.abc import Iterator

from avow.core.canonical import JsonValue


def texts(value: JsonValue) -> Iterator[str]:
    """Yield every string in `value`, names of members included, however deep."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str(text):
                yield text
            case dict(members):
                yield from members
                waiting.extend(members.values())
            case list(items):
                waiting.extend(items)
            case _:
                pass
