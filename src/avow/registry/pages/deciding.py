"""Approvals: what may be used, what waits for a decision, and the form to decide with."""

from typing import Final

from starlette.responses import RedirectResponse, Response

from avow.core.publication import ServerName
from avow.errors import MalformedInputError
from avow.registry.api.problems import RefusedError
from avow.registry.approvals import USUAL_ENVIRONMENT, decide, read_environment
from avow.registry.model import ApprovalState, Role
from avow.registry.pages.home import told
from avow.registry.pages.showing import with_query
from avow.registry.pages.site import View, Visit

PAGE: Final = 10
USABLE: Final = 20
_DECISIONS: Final = {"approve": ApprovalState.APPROVED, "reject": ApprovalState.REJECTED}


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
            "decided": await store.decided([each.version.id for each in usable.items]),
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
    standing, _ = await decide(
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
