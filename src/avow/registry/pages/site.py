"""One page: who looks, what is shown, and the headers that keep a browser to it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qsl

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from avow.errors import AvowError, MalformedInputError
from avow.registry.api.access import Caller
from avow.registry.api.bodies import read_body
from avow.registry.api.problems import RefusedError, problem
from avow.registry.model import Role
from avow.registry.pages import showing
from avow.registry.pages.access import Session, Sessions, check_origin, check_word
from avow.registry.service import Service

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_TYPES: Final = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "txt": "text/plain"}
_FORM: Final = ("application/x-www-form-urlencoded",)
_MOST_FIELDS: Final = 20
# What a problem document says in its headers holds for the page as well.
_KEPT: Final = frozenset({"allow", "retry-after", "cache-control"})


@dataclass(frozen=True, slots=True)
class Visit:
    """Somebody asks for a page."""

    request: Request
    service: Service
    caller: Caller
    session: Session | None
    form: Mapping[str, str] = field(default_factory=dict)

    def asked(self, name: str) -> str:
        """A value of the query; empty when it is not there."""
        return self.request.query_params.get(name, "")

    def number(self, name: str) -> int | None:
        """A value of the query that is a number."""
        text = self.asked(name)
        return int(text) if text.isascii() and text.isdigit() and len(text) <= 15 else None

    @property
    def may_approve(self) -> bool:
        """Whether the session may decide about versions."""
        return self.session is not None and self.caller.may(Role.APPROVE)


@dataclass(frozen=True, slots=True)
class View:
    """A template and what it shows; `cookie` is a header that goes with it."""

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200


Handler: TypeAlias = Callable[[Visit], Awaitable[View | Response]]


@dataclass(frozen=True, slots=True)
class Pages:
    """All pages, and the one that tells a person why there is none."""

    routes: Sequence[BaseRoute]
    refused: Callable[[Request, AvowError], Awaitable[Response]]


class Site:
    """Everything that pages share."""

    def __init__(self, service: Service, key: bytes) -> None:
        """Read templates and assets once."""
        self.sessions = Sessions(service, key)
        self._service = service
        self._assets = _read_assets()
        self._templates = _environment(self._assets)

    def page(self, path: str, handler: Handler, *, is_open: bool = False) -> Route:
        """A page to look at; `is_open` also where everything else needs a token."""

        async def answer(request: Request) -> Response:
            session = await self.sessions.read(request)
            caller = Caller() if is_open else await self.sessions.caller(request, session)
            return await self._shown(handler, Visit(request, self._service, caller, session))

        return Route(path, self._guarded(answer), methods=["GET"])

    def form(self, path: str, handler: Handler, *, is_open: bool = False) -> Route:
        """Where a form is sent; unless `is_open`, only from a page of a session that is there."""

        async def answer(request: Request) -> Response:
            check_origin(request)
            bounds = self._service.settings.bounds
            fields = _fields(await read_body(request, _FORM, bounds.document_bytes, bounds.body_seconds))
            session = await self.sessions.read(request)
            if not is_open:
                if session is None:
                    raise RefusedError(401, "you are not signed in any more", "sign in, then send it again")
                check_word(session, fields.get("word", ""))
            caller = session.caller if session else Caller()
            return await self._shown(handler, Visit(request, self._service, caller, session, fields))

        return Route(path, self._guarded(answer), methods=["POST"])

    def assets(self) -> Route:
        """The files that pages refer to; their addresses change with their content."""

        async def answer(request: Request) -> Response:
            asset = self._assets.get(request.path_params["name"])
            if asset is None:
                return problem(RefusedError(404, "there is no such file"))
            headers = {"cache-control": "public, max-age=31536000, immutable"}
            return Response(asset.data, headers=headers, media_type=asset.media_type)

        return Route("/assets/{tag}/{name}", answer, methods=["GET"])

    def _guarded(
        self, answer: Callable[[Request], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        async def guarded(request: Request) -> Response:
            request.scope["avow.route"] = request.scope["route"].path
            try:
                return await answer(request)
            except AvowError as error:
                return await self.refused(request, error)

        return guarded

    async def _shown(self, handler: Handler, visit: Visit) -> Response:
        view = await handler(visit)
        if isinstance(view, Response):
            return view
        return await self._render(view, visit)

    async def refused(self, request: Request, error: AvowError) -> Response:
        """The page that says why there is no other; where signing in would help, the way there."""
        answer = problem(error)
        if answer.status_code == 401 and request.method == "GET":
            here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            return RedirectResponse(showing.with_query("/login", {"next": here}), 303)
        session = None
        # The store may be what failed: the page then does without the name of who looks.
        with suppress(AvowError):
            session = await self.sessions.read(request) if answer.status_code < 500 else None
        visit = Visit(request, self._service, session.caller if session else Caller(), session)
        values = {"message": error.message, "hint": error.hint, "status": answer.status_code}
        shown = await self._render(View("error.html", values, answer.status_code), visit)
        kept = {name: value for name, value in answer.headers.items() if name in _KEPT}
        shown.headers.update(kept)
        return shown

    async def _render(self, view: View, visit: Visit) -> Response:
        template = self._templates.get_template(view.template)
        text = template.render(
            {
                "caller": visit.caller,
                "session": visit.session,
                "may_approve": visit.may_approve,
                "now": self._service.clock(),
                "path": visit.request.url.path,
                "is_private": self._service.settings.private,
                "origin": self._service.origin,
                **view.values,
            }
        )
        headers = {
            "content-security-policy": _POLICY,
            "cache-control": "no-store" if visit.session else "private, no-cache",
            "x-frame-options": "DENY",
            "vary": "cookie",
        }
        return Response(text, view.status, headers, "text/html; charset=utf-8")


@dataclass(frozen=True, slots=True)
class _Asset:
    data: bytes
    media_type: str
    path: str


def _read_assets() -> dict[str, _Asset]:
    found = {}
    for each in files("avow.registry.pages").joinpath("assets").iterdir():
        data, kind = each.read_bytes(), each.name.rpartition(".")[2]
        tag = sha256(data).hexdigest()[:12]
        found[each.name] = _Asset(data, f"{_TYPES[kind]}; charset=utf-8", f"/assets/{tag}/{each.name}")
    return found


def _environment(assets: Mapping[str, _Asset]) -> Environment:
    """Templates that escape everything, show what would not show, and fail where a value is missing."""
    environment = Environment(
        loader=PackageLoader("avow.registry.pages", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=showing.shown,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(
        exact=showing.Exact,
        line=showing.line,
        passage=showing.passage,
        definition=showing.definition,
        day=showing.day,
        moment=showing.moment,
        ago=showing.ago,
        short=showing.short,
        plural=showing.plural,
        capabilities=showing.capabilities,
        safe_link=showing.safe_link,
        server_path=showing.server_path,
        did=showing.did,
        last_said=showing.last_said,
    )
    environment.globals.update(
        asset=lambda name: assets[name].path, with_query=showing.with_query, server_path=showing.server_path
    )
    return environment


def _fields(body: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except ValueError:
        raise MalformedInputError("this form cannot be read") from None
    return dict(pairs)
