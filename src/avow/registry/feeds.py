"""Changes as an Atom feed (RFC 4287), for whoever reads along."""

from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from avow.core.printable import printable
from avow.core.publication import ServerName
from avow.core.severity import Severity
from avow.registry.model import PublishedVersion
from avow.registry.store.interface import Store

CONTENT_TYPE: Final = "application/atom+xml; charset=utf-8"

_ENTRIES: Final = 50
_PAGES: Final = 10


async def changes_for(
    store: Store, target: str | None, level: Severity | None
) -> tuple[PublishedVersion, ...]:
    """The newest versions in a target, with drift at or above a level; newest first."""
    if target is not None and not target.endswith("/*"):
        page = await store.versions(ServerName.read(target), limit=_ENTRIES)
        return tuple(each for each in page.items if level is None or _reaches(each, level))
    namespace = None if target is None else target.removesuffix("/*")
    found: list[PublishedVersion] = []
    cursor: str | None = None
    for _ in range(_PAGES if namespace else 1):
        changes = await store.recent(level=level, cursor=cursor, limit=_ENTRIES)
        versions = (each.version for each in changes.items)
        found += [each for each in versions if namespace in (None, each.name.namespace)]
        cursor = changes.next
        if cursor is None or len(found) >= _ENTRIES:
            break
    return tuple(found[:_ENTRIES])


def atom(versions: Sequence[PublishedVersion], *, origin: str, url: str, itself: str) -> str:
    """The feed; `itself` is its own path with the question, `url` what it is below."""
    updated = max((_time(each) for each in versions), default="1970-01-01T00:00:00Z")
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
        path = f"/api/v1/servers/{each.name}/versions/{quote(each.version, safe='')}"
        yield "<entry>"
        yield f"<title>{_text(_summary(each))}</title>"
        yield f"<id>{_text(f'urn:avow:{origin}:publication:{each.log_index}')}</id>"
        yield f"<updated>{_time(each)}</updated>"
        yield f'<link rel="alternate" type="application/json" href={quoteattr(url + path)}/>'
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


def _reaches(version: PublishedVersion, level: Severity) -> bool:
    return version.highest is not None and version.highest >= level


def _time(version: PublishedVersion) -> str:
    return version.published_at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _text(text: str) -> str:
    """Text that XML can hold."""
    return escape(printable(text))
