"""Approvals: what may be used, what waits for a decision, and the form to decide with."""

import asyncio
from dataclasses import dataclass
from typing import Final

from starlette.responses import RedirectResponse, Response

from avow.core.publication import ServerName
from avow.errors import MalformedInputError
from avow.registry.api.problems import RefusedError
from avow.registry.approvals import Standing, decide, read_environment, standings
from avow.registry.model import ApprovalState, PublishedVersion, Role
from avow.registry.pages.home import News, told
from avow.registry.pages.showing import with_query
from avow.registry.pages.site import View, Visit
from avow.registry.store.interface import Store
from avow.registry.store.standing import Decision

PAGE: Final = 10
USABLE: Final = 20
DEFAULT: Final = "production"
_DECISIONS: Final = {"approve": ApprovalState.APPROVED, "reject": ApprovalState.REJECTED}


@dataclass(frozen=True, slots=True)
class Waiting:
    """A version that somebody has decided about, and others have to."""

    news: News
    standing: Standing


@dataclass(frozen=True, slots=True)
class Usable:
    """A version that is approved, and the newest of its server when that is another."""

    version: PublishedVersion
    decisions: tuple[Decision, ...]
    newer: str


async def approvals(visit: Visit) -> View:
    """What is to be decided in an environment."""
    store = visit.service.store
    environments = await store.environments()
    names = [each.name for each in environments] or [DEFAULT]
    asked = visit.asked("environment")
    chosen = read_environment(asked) if asked else DEFAULT if DEFAULT in names else names[0]
    page = await store.undecided(chosen, cursor=visit.asked("cursor") or None, limit=PAGE, begun=False)
    begun = await store.undecided(chosen, cursor=visit.asked("waiting") or None, limit=PAGE, begun=True)
    usable = await store.usable(chosen, cursor=visit.asked("usable") or None, limit=USABLE)
    return View(
        "approvals.html",
        {
            "environments": names if chosen in names else [*names, chosen],
            "environment": chosen,
            "needed": next((each.needed for each in environments if each.name == chosen), 1),
            "undecided": await told(store, page.items),
            "waiting": await _waiting(store, chosen, begun.items),
            "more_waiting": begun.next,
            "usable": await _usable(store, chosen, usable.items),
            "more_usable": usable.next,
            "next": page.next,
            "recorded": visit.number("recorded"),
        },
    )


async def decision(visit: Visit) -> Response:
    """Record what the person of this session decided about what they saw."""
    if not visit.may_approve:
        raise RefusedError(403, f"this needs a token with the role {Role.APPROVE}")
    form = visit.form
    if form.get("decision") not in _DECISIONS:
        raise MalformedInputError("a version is approved or rejected")
    standing = await decide(
        visit.service.store,
        ServerName.read(form.get("name", "")),
        form.get("version", ""),
        environment=form.get("environment", ""),
        state=_DECISIONS[form["decision"]],
        by=visit.caller.person,
        reason=form.get("reason", ""),
        at=visit.service.clock(),
        digest=form.get("digest", ""),
    )
    values = {"environment": standing.environment, "recorded": standing.decisions[-1].log_index}
    return RedirectResponse(with_query("/approvals", values), 303)


async def _waiting(store: Store, environment: str, versions: tuple[PublishedVersion, ...]) -> list[Waiting]:
    stand = await asyncio.gather(*(standings(store, each, environment) for each in versions))
    return [
        Waiting(news, standing) for news, [standing] in zip(await told(store, versions), stand, strict=True)
    ]


async def _usable(store: Store, environment: str, versions: tuple[PublishedVersion, ...]) -> list[Usable]:
    decided = await store.decided([each.id for each in versions])
    newest = await asyncio.gather(*(store.version(each.name) for each in versions))
    return [
        Usable(
            version,
            next(each.decisions for each in decided[version.id] if each.environment == environment),
            latest.version if latest is not None and latest.id != version.id else "",
        )
        for version, latest in zip(versions, newest, strict=True)
    ]
