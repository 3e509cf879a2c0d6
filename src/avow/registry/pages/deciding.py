"""Approvals: what may be used, what waits for a decision, and the form to decide with."""

from dataclasses import dataclass
from typing import Final

from starlette.responses import RedirectResponse, Response

from avow.core.publication import ServerName
from avow.core.tlog import entry as entries
from avow.core.tlog.entry import ApprovalEntry
from avow.errors import MalformedInputError
from avow.registry.api.problems import RefusedError
from avow.registry.approvals import (
    USUAL_ENVIRONMENT,
    decide,
    found_version,
    read_environment,
    standings,
)
from avow.registry.model import ApprovalState, ConflictError, Role
from avow.registry.pages.home import told
from avow.registry.pages.showing import with_query
from avow.registry.pages.site import View, Visit
from avow.registry.store.interface import Store

PAGE: Final = 10
USABLE: Final = 20
_DECISIONS: Final = {
    "approve": ApprovalState.APPROVED,
    "reject": ApprovalState.REJECTED,
    "take back": ApprovalState.PENDING,
}


@dataclass(frozen=True, slots=True)
class Recorded:
    """A decision that was just made: its place in the log, what it says, and what it comes to."""

    index: int
    entry: ApprovalEntry
    state: ApprovalState


async def approvals(visit: Visit) -> View:
    """What is to be decided in an environment."""
    store = visit.service.store
    environments = await store.environments()
    names = [each.name for each in environments] or [USUAL_ENVIRONMENT]
    asked = visit.asked("environment")
    chosen = (
        read_environment(asked) if asked else USUAL_ENVIRONMENT if USUAL_ENVIRONMENT in names else names[0]
    )
    page = await store.undecided(chosen, cursor=visit.asked("cursor") or None, limit=PAGE, begun=False)
    begun = await store.undecided(chosen, cursor=visit.asked("waiting") or None, limit=PAGE, begun=True)
    usable = await store.usable(chosen, cursor=visit.asked("usable") or None, limit=USABLE)
    rejected = await store.usable(
        chosen, cursor=visit.asked("rejected") or None, limit=PAGE, state=ApprovalState.REJECTED
    )
    return View(
        "approvals.html",
        {
            "environments": names if chosen in names else [*names, chosen],
            "environment": chosen,
            "needed": next((each.needed for each in environments if each.name == chosen), 1),
            "undecided": await told(store, page.items),
            "waiting": await told(store, begun.items),
            "more_waiting": begun.next,
            "usable": usable.items,
            "rejected": rejected.items,
            "more_rejected": rejected.next,
            "decided": await store.decided([each.version.id for each in (*usable, *rejected)]),
            "more_usable": usable.next,
            "next": page.next,
            "recorded": await _recorded(store, visit.number("recorded")),
        },
    )


async def decision(visit: Visit) -> Response:
    """Record what the person of this session decided about what they saw."""
    if not visit.may_approve:
        raise RefusedError(403, f"this needs a token with the role {Role.APPROVE}")
    form = visit.form
    if form.get("decision") not in _DECISIONS:
        raise MalformedInputError("a version is approved or rejected, or a decision taken back")
    store, name, environment = visit.service.store, form.get("name", ""), form.get("environment", "")
    if form.get("sure") != "yes":
        await _check_open(store, ServerName.read(name), form.get("version", ""), environment)
    standing, _ = await decide(
        store,
        ServerName.read(name),
        form.get("version", ""),
        environment=environment,
        state=_DECISIONS[form["decision"]],
        by=visit.caller.person,
        reason=form.get("reason", ""),
        at=visit.service.clock(),
        digest=form.get("digest", ""),
    )
    made = standing.newest_of(visit.caller.person)
    values = {"environment": standing.environment, "recorded": made.log_index if made else None}
    return RedirectResponse(with_query("/approvals", values), 303)


async def _check_open(store: Store, name: ServerName, version: str, environment: str) -> None:
    """What holds somewhere is changed only by who says that they mean it."""
    found = await found_version(store, name, version)
    state = (await standings(store, found, environment))[0].state
    if state is not ApprovalState.PENDING:
        raise ConflictError(
            f"{name} {version} is {state} in {environment}, and to change that has to be confirmed",
            hint="open the page again, and tick the box beside the decision",
        )


async def _recorded(store: Store, index: int | None) -> Recorded | None:
    data = await store.entries(index, index + 1) if index is not None else []
    entry = entries.loads(data[0]) if data else None
    if index is None or not isinstance(entry, ApprovalEntry):
        return None
    version = await found_version(store, ServerName.read(entry.name), entry.version)
    return Recorded(index, entry, (await standings(store, version, entry.environment))[0].state)
