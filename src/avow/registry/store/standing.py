"""Questions for how versions stand: what people's decisions about them come to, and who made them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from avow.core.tlog.decisions import newest_of_each
from avow.registry.model import ApprovalState, Page, PublishedVersion, ServerName
from avow.registry.store.database import Database
from avow.registry.store.reading import END, page_limit
from avow.registry.store.rows import VERSION, cursor_of, read_cursor, version_of
from avow.registry.store.sequencer import moment

_STANDING: Final = (
    f"SELECT {VERSION}, n.version FROM standings t CROSS JOIN versions v CROSS JOIN servers s "  # noqa: S608
    "CROSS JOIN versions n WHERE t.environment = $1 AND t.state = $2 AND t.version_id < $3 "
    "AND v.id = t.version_id AND s.id = v.server_id AND n.id = s.latest_id "
    "ORDER BY t.version_id DESC LIMIT $4"
)

_APPROVED: Final = (
    "SELECT t.environment, v.version, v.sequence FROM servers s CROSS JOIN approvals a "
    "CROSS JOIN standings t CROSS JOIN versions v WHERE s.name = $1 AND a.server_id = s.id "
    "AND t.version_id = a.version_id AND t.environment = a.environment AND t.state = $2 "
    "AND v.id = a.version_id ORDER BY a.log_index DESC LIMIT $3"
)
_FEW: Final = 3
_LOOKED_AT: Final = 500


@dataclass(frozen=True, slots=True)
class Decision:
    """What one person decided."""

    state: ApprovalState
    by: str
    reason: str
    at: datetime
    log_index: int
    needed: int


@dataclass(frozen=True, slots=True)
class Decided:
    """How a version stands in one environment, and the decisions that led there, oldest first."""

    environment: str
    state: ApprovalState
    decisions: tuple[Decision, ...]

    @property
    def people(self) -> tuple[str, ...]:
        """Those who decided so, each once, however their name is spelled."""
        last = newest_of_each(self.decisions, lambda each: each.by).values()
        agreed = ApprovalState.REJECTED if self.state is ApprovalState.REJECTED else ApprovalState.APPROVED
        return tuple(each.by for each in last if each.state is agreed)


@dataclass(frozen=True, slots=True)
class Usable:
    """A version that is approved or rejected somewhere, and the newest version of its server."""

    version: PublishedVersion
    newest: str


async def decided(database: Database, versions: Sequence[int]) -> Mapping[int, tuple[Decided, ...]]:
    """How each of these versions stands in the environments where somebody decided about it, by name."""
    if not versions:
        return {}
    sql = (
        "SELECT version_id, environment, state, person, reason, at_ms, log_index, needed FROM approvals "
        "WHERE version_id IN ($many)"
    )
    made: dict[tuple[int, str], list[Decision]] = {}
    for number, environment, state, person, reason, ms, *places in await database.fetch_each(sql, versions):
        decision = Decision(ApprovalState(state), person, reason, moment(ms), *places)
        made.setdefault((number, environment), []).append(decision)
    found: dict[int, list[Decided]] = {}
    sql = "SELECT version_id, environment, state FROM standings WHERE version_id IN ($many)"
    for number, environment, state in sorted(map(tuple, await database.fetch_each(sql, versions))):
        decisions = sorted(made.get((number, environment), ()), key=lambda each: each.log_index)
        found.setdefault(number, []).append(Decided(environment, ApprovalState(state), tuple(decisions)))
    return {number: tuple(each) for number, each in found.items()}


async def usable(
    database: Database,
    environment: str,
    cursor: str | None,
    limit: int,
    state: ApprovalState = ApprovalState.APPROVED,
) -> Page[Usable]:
    """Versions that are approved in an environment now, or rejected, the newest first."""
    (before,) = read_cursor(cursor, (END,))
    limit = page_limit(limit)
    rows = await database.fetch(_STANDING, environment, str(state), before, limit + 1)
    found = tuple(Usable(version_of(row), row[-1]) for row in rows[:limit])
    return Page(found, cursor_of(found[-1].version.id) if len(rows) > limit else None)


async def approved(database: Database, name: ServerName) -> Mapping[str, tuple[str, ...]]:
    """The newest few versions of a server that are approved today, newest first, by environment."""
    rows = await database.fetch(_APPROVED, str(name), str(ApprovalState.APPROVED), _LOOKED_AT)
    found: dict[str, tuple[str, ...]] = {}
    # Several people have decided about one version.
    for _, environment, version in sorted({(-row[2], row[0], row[1]) for row in rows}):
        found[environment] = (*found.get(environment, ()), version)[:_FEW]
    return found
