"""Signing in with a token, and out."""

from collections.abc import Awaitable, Callable

from starlette.responses import RedirectResponse, Response

from avow.registry.api.problems import RefusedError
from avow.registry.pages.access import Sessions, local_path
from avow.registry.pages.site import View, Visit


async def sign_in_form(visit: Visit) -> View:
    """The form."""
    return View("login.html", {"next": local_path(visit.asked("next")), "wrong": ""})


def sign_in(sessions: Sessions) -> Callable[[Visit], Awaitable[View | Response]]:
    """What the form is sent to."""

    async def handler(visit: Visit) -> View | Response:
        onward = local_path(visit.form.get("next", "/"))
        try:
            cookie = await sessions.open(visit.request, visit.form.get("token", ""))
        except RefusedError as error:
            values = {"next": onward, "wrong": f"{error.message}: {error.hint}"}
            return View("login.html", values, error.status)
        return RedirectResponse(onward, 303, {"set-cookie": cookie})

    return handler


def sign_out(sessions: Sessions) -> Callable[[Visit], Awaitable[Response]]:
    """What the button is sent to."""

    async def handler(visit: Visit) -> Response:  # noqa: ARG001  every form has one
        return RedirectResponse("/", 303, {"set-cookie": sessions.close()})

    return handler
