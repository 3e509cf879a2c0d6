"""`avow registry changes`: what was published lately, with the worst drift first."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import click

from avow.cli.options import format_option
from avow.cli.output import write
from avow.cli.output.console import Line, Part, columns, line, to_string
from avow.cli.registry.asking import limit_option, open_client, registry_option
from avow.cli.registry.group import SUBCOMMANDS
from avow.cli.registry.tables import drift_counts, risks, safe
from avow.cli.registry.tables import level as coloured
from avow.core.canonical import JsonObject
from avow.core.severity import Severity
from avow.errors import UsageError
from avow.system.registry_client.answers import no_answer, understood
from avow.system.registry_client.client import RegistryClient

_AGE: Final = re.compile(r"([0-9]{1,5})([mhdw])")
_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_PAGE: Final = 200
_MOST: Final = 10_000
_LAST: Final = 2**53
"""The last position that a registry can be asked for."""
_FIRST: Final = "first"
"""What a first version has in the place of a severity: nothing drifted, and all of it is to be looked at."""
_ORDER: Final = ["critical", "moderate", _FIRST, "safe", "info", ""]


@click.command("changes", short_help=SUBCOMMANDS["changes"])
@click.option(
    "--since", default="7d", show_default=True, metavar="AGE|DATE", help="12h, 7d, 4w, or 2026-11-08."
)
@click.option("--target", metavar="NAMESPACE/SERVER|NAMESPACE/*", help="Only of these servers.")
@click.option(
    "--level", type=click.Choice([str(each) for each in Severity]), help="Only drift at or above this."
)
@limit_option
@registry_option
@format_option("text", "json")
@understood()
def command(
    *, since: str, target: str | None, level: str | None, limit: int, registry: str, format_name: str
) -> int:
    """Show what was published lately, the worst drift first."""
    from avow.core.publication import read_watched

    began = read_since(since, datetime.now(UTC))
    wanted = None if target is None else read_watched(target)
    with open_client(registry) as client:
        found = _changes(client, _position(client, began), wanted, level)
    found.sort(key=_worst_first)
    if format_name == "json":
        from avow.cli.output.json import dumps

        write(dumps({"since": began.isoformat(), "changes": found[:limit], "left": len(found[limit:])}))
    else:
        write(to_string(_lines(found, limit, began.astimezone(UTC))))
    return 0


def read_since(text: str, now: datetime) -> datetime:
    """The moment that an age or a date means.

    Raises:
        UsageError: it is neither.
    """
    try:
        if match := _AGE.fullmatch(text.strip()):
            return now - timedelta(**{_UNITS[match[2]]: int(match[1])})
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(
            f"--since wants an age or a date, not {text[:80]!r}", hint="12h, 7d, 4w, or 2026-11-08"
        ) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _position(client: RegistryClient, began: datetime) -> int:
    """The position after which everything is newer; times only grow, so few questions are enough.

    Raises:
        PeerProtocolError: the registry answers what was not asked for, or something old without an end.
    """

    def is_older(position: int) -> bool:
        answer = client.changes(after=position, limit=1)
        found = answer["changes"]
        if not found:
            return False
        _further(answer, position)
        return datetime.fromisoformat(found[0]["publishedAt"]) < began

    low, high = 0, 1
    while is_older(high):
        low, high = high + 1, high * 2
        if high > _LAST:
            raise no_answer()
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if is_older(middle) else (low, middle)
    return low


def _changes(client: RegistryClient, after: int, target: str | None, level: str | None) -> list[JsonObject]:
    found: list[JsonObject] = []
    while len(found) < _MOST:
        answer = client.changes(after=after, target=target, level=level, limit=_PAGE)
        found += answer["changes"]
        if len(answer["changes"]) < _PAGE:
            break
        after = _further(answer, after)
    return found


def _further(answer: JsonObject, after: int) -> int:
    """The position to go on from, which is after the one that was asked for."""
    following = int(answer["next"])
    if following <= after:
        raise no_answer()
    return following


def _worst_first(version: JsonObject) -> tuple[int, int]:
    word = _FIRST if version["predecessor"] is None else str(version["highest"] or "")
    return (_ORDER.index(word), -version["logIndex"])


def _lines(found: list[JsonObject], limit: int, began: datetime) -> Iterator[Line]:
    if not found:
        yield line(f"nothing was published since {began:%Y-%m-%d %H:%M} UTC")
        return
    titles: list[Sequence[Part]] = [[(each, "dim") for each in ("DRIFT", "WHEN", "SERVER", "WHAT")]]
    yield from columns([*titles, *map(_row, found[:limit])], indent=0)
    if len(found) > limit:
        yield line((f"(and {len(found) - limit} more: --limit)", "dim"))
    if found[0]["predecessor"] is not None:
        yield line(("`avow registry history NAMESPACE/SERVER` shows each difference", "dim"))


def _row(version: JsonObject) -> Sequence[Part]:
    what = f"{safe(version['name'])} {safe(version['version'])}"
    if version["predecessor"] is None:
        return ((_FIRST, "yellow"), version["publishedAt"][:10], what, risks(version))
    told = f"{drift_counts(version)}, after {version['predecessor']}"
    return (coloured(version["highest"] or "none"), version["publishedAt"][:10], what, safe(told))
