"""How values look on a page: times, digests, addresses, and texts that strangers wrote."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

from avow.core.canonical import JsonValue
from avow.core.printable import ELLIPSIS, printable
from avow.core.publication import ServerName
from avow.core.readable_json import readable_json
from avow.core.tlog.decisions import newest_of_each, same_person
from avow.registry.model import Counts

LONG_TEXT: Final = 20_000
_UNITS: Final = (
    (timedelta(days=365), "year"),
    (timedelta(days=30), "month"),
    (timedelta(days=1), "day"),
    (timedelta(hours=1), "hour"),
    (timedelta(minutes=1), "minute"),
)
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SHORT_DIGEST: Final = 12
_AHEAD: Final = 3


class Exact(str):
    """A text that is printed as it is, escaped for HTML and nothing else.

    Somebody will hash it, or what would not show in it is visible already.
    """

    __slots__ = ()


def shown(value: object) -> object:
    """Whatever a template is about to print: every text with what does not show made visible.

    Text that is markup already came from a template, and its parts through here.
    """
    # Pages have thousands of texts, and nearly all of them hide nothing: this is looked at first.
    if type(value) is not str or (value.isascii() and value.isprintable()):
        return value
    return Exact(printable(value))


def line(text: str, limit: int = 120) -> Exact:
    """A stranger's text on one line, cut."""
    head = text[: _AHEAD * limit]
    if len(head) < len(text) and text.isascii() and len(" ".join(head.split())) > limit + 1:
        # Of a long text the beginning is enough to fill the line.
        text = head
    if len(text) <= limit and text.isascii() and text.isprintable() and "  " not in text:
        return Exact(text.strip())
    return Exact(printable(text, limit, fold=True))


def passage(text: str, limit: int = LONG_TEXT) -> Exact:
    """A stranger's text with its lines, cut."""
    return Exact(printable(text, limit).strip())


def definition(value: JsonValue, limit: int = LONG_TEXT) -> str:
    """A document as indented JSON, cut."""
    return printable(readable_json(value).decode().rstrip("\n"), limit)


def ago(at: datetime, now: datetime) -> str:
    """How long ago, in the largest unit that fits."""
    passed = now - at
    for unit, word in _UNITS:
        if passed >= unit:
            return f"{plural(passed // unit, word)} ago"
    return "just now"


def day(at: datetime) -> str:
    """A date as people write it, in whatever language the system speaks."""
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}"


def moment(at: datetime) -> str:
    """A date with the time."""
    return f"{day(at)}, {at:%H:%M} UTC"


def plural(count: int, word: str, many: str = "") -> str:
    """`1 tool`, `2 tools`."""
    return f"{count:,} {word if count == 1 else many or word + 's'}"


def capabilities(counts: Counts) -> str:
    """`12 tools, 1 prompt`."""
    words = (
        (counts.tools, "tool"),
        (counts.prompts, "prompt"),
        (counts.resources, "resource"),
        (counts.templates, "template"),
    )
    return ", ".join(plural(count, word) for count, word in words if count) or "nothing"


def short(digest: str) -> str:
    """The beginning of a digest, enough to tell a few apart."""
    kind, _, digits = digest.partition(":")
    return f"{digits[:_SHORT_DIGEST] or kind[:_SHORT_DIGEST]}{ELLIPSIS}"


def did(state: str) -> str:
    """What somebody did to a version."""
    return {"approved": "approved it", "rejected": "rejected it"}.get(state, "took back what they had said")


def last_said(decisions: Iterable[Any], person: str) -> str:
    """What a person decided last, of decisions that are in order; nothing that counts is `pending`."""
    last = newest_of_each(decisions, lambda each: str(each.by)).get(same_person(person))
    return "pending" if last is None else str(last.state)


def server_path(name: ServerName, *more: str) -> str:
    """Where the page of a server is, or one below it."""
    return "/".join(["/servers", *(quote(part, safe="") for part in (name.namespace, name.server, *more))])


def with_query(path: str, values: Mapping[str, object]) -> str:
    """A path with those values that are there."""
    query = urlencode({key: str(value) for key, value in values.items() if value not in (None, "")})
    return f"{path}?{query}" if query else path


def safe_link(address: object) -> str | None:
    """An address that may be linked, since all of it is shown and it leads where it says; None otherwise."""
    if (
        not isinstance(address, str)
        or len(address) > 300
        or not address.isascii()
        or not address.isprintable()
    ):
        return None
    try:
        parts = urlsplit(address)
        is_plain = parts.scheme == "https" and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        return None
    return address if is_plain and not set(address) & set(" \"'<>\\`") else None
