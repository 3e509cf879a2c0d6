"""Changes as an Atom feed (RFC 4287), for whoever reads along."""

from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from avow.core.printable import printable
from avow.core.severity import Severity
from avow.registry.model import PublishedVersion
from avow.registry.store.interface import Store
from avow.registry.times import rfc3339

CONTENT_TYPE: Final = "application/atom+xml; charset=utf-8"

_ENTRIES: Final = 50


async def changes_for(
    store: Store, target: str | None, level: Severity | None
) -> tuple[PublishedVersion, ...]:
    """The newest versions in a target, with drift at or above a level; newest first."""
    page = await store.recent(level=level, target=target, limit=_ENTRIES)
    return tuple(each.version for each in page.items)


def atom(versions: Sequence[PublishedVersion], *, origin: str, url: str, itself: str) -> str:
    """The feed; `itself` is its own path with the question, `url` what it is below."""
    updated = max((rfc3339(each.published_at) for each in versions), default="1970-01-01T00:00:00Z")
    head = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<title>{_text(f'Changes in {origin}')}</title>",
        f"<id>{_text(f'urn:avow:{origin}:{itself}')}</id>",
        f"<updated>{updated}</updated>",
        f'<link rel="self" href={quoteattr(url + itself)}/>',
        f"<author><name>{_text(origin)}</name></author>",
    ]
    return "\n".join([*head, *_entries(versions, origin, url), "</feed>", ""])


def _entries(versions: Iterable[PublishedVersion], origin: str, url: str) -> Iterable[str]:
    for each in versions:
        path = f"/servers/{each.name}/versions/{quote(each.version, safe='')}"
        yield "<entry>"
        yield f"<title>{_text(_summary(each))}</title>"
        yield f"<id>{_text(f'urn:avow:{origin}:publication:{each.log_index}')}</id>"
        yield f"<updated>{rfc3339(each.published_at)}</updated>"
        yield f'<link rel="alternate" type="text/html" href={quoteattr(url + path)}/>'
        yield f'<link rel="alternate" type="application/json" href={quoteattr(f"{url}/api/v1{path}")}/>'
        if each.highest is not None:
            yield f"<category term={quoteattr(str(each.highest))}/>"
        yield f"<summary>{_text(_detail(each))}</summary>"
        yield "</entry>"


def _summary(version: PublishedVersion) -> str:
    what = "first version" if version.predecessor is None else str(version.highest or "no drift")
    return f"{version.name} {version.version}: {what}"


def _detail(version: PublishedVersion) -> str:
    counted = ", ".join(f"{count} {Severity(level)}" for level, count in version.drift.items())
    since = f" since {version.predecessor}" if version.predecessor else ""
    return f"{version.counts.capabilities} capabilities; {counted or 'no drift'}{since}; {version.digest}"


def _text(text: str) -> str:
    """Text that XML can hold."""
    return escape(printable(text))
