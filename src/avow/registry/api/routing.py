"""Endpoints on Starlette: who may, what they sent, and the answer with its tag."""

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any, Final

import jsonschema_rs
import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from avow.core.canonical import JsonObject, JsonValue, canonical, parse_json
from avow.errors import AvowError, MalformedInputError
from avow.registry.api.access import NOBODY, admit, admit_anybody
from avow.registry.api.bodies import read_body
from avow.registry.api.endpoints import Answer, Call, Endpoint, Parameter
from avow.registry.api.problems import RefusedError, problem
from avow.registry.model import NotFoundError
from avow.registry.rooms import Room
from avow.registry.service import Service

_DEPTH: Final = 40
_SPELLINGS: Final = {"true": True, "false": False}
_LONGEST_NUMBER: Final = 19
_OFFICIAL: Final = "/v0.1/"


def routes(endpoints: Iterable[Endpoint], service: Service) -> list[Route]:
    """One route for each path, whatever the method."""
    by_path: dict[str, list[_Bound]] = {}
    bounds = service.settings.bounds
    rooms = Room(bounds.room_bytes), Room(bounds.open_room_bytes)
    for endpoint in endpoints:
        by_path.setdefault(endpoint.path, []).append(_Bound(endpoint, service, rooms))
    return [Route(path, _Methods({each.method: each for each in bound})) for path, bound in by_path.items()]


class _Methods:
    """Everything that can be done at one path."""

    def __init__(self, bound: Mapping[str, "_Bound"]) -> None:
        self._bound = dict(bound)
        if "GET" in bound:
            self._bound["HEAD"] = bound["GET"]
        self._allow = ", ".join(sorted(self._bound))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["avow.route"] = scope["route"].path
        bound = self._bound.get(scope["method"])
        if bound is None:
            refusal = RefusedError(405, "this path takes other methods", headers={"allow": self._allow})
            await problem(refusal)(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            response = await bound.respond(request)
        except AvowError as error:
            response = problem(error, is_official=scope["path"].startswith(_OFFICIAL))
        await response(scope, receive, send)


class _Bound:
    """An endpoint of a service, with what it takes compiled."""

    def __init__(self, endpoint: Endpoint, service: Service, rooms: tuple[Room, Room]) -> None:
        """`rooms` are for the bodies of those with a token, and of all others."""
        self.method = endpoint.method
        self._rooms = rooms
        self._endpoint = endpoint
        self._service = service
        self._parameters = {each.name: each for each in endpoint.parameters}
        self._accepts = jsonschema_rs.Draft202012Validator(_schema_of(endpoint.parameters))
        body = endpoint.body
        self._accepts_body = None if body is None else jsonschema_rs.Draft202012Validator(body.schema)

    async def respond(self, request: Request) -> Response:
        """Let the caller in, read what they say, answer."""
        if self._endpoint.is_always_public:
            caller = admit_anybody(request, self._service)
        else:
            caller = await admit(request, self._service, self._endpoint.role)
        arguments = self._arguments(request)
        with self._rooms[caller is NOBODY].hold() as take:
            body, document = await self._body(request, take)
            call = Call(self._service, caller, arguments, document, body)
            try:
                answer = await self._endpoint.handler(call)
            except MalformedInputError as error:
                # A cursor is opaque: no schema can tell a wrong one, which leads to a page that is not there.
                if "cursor" in arguments and error.message.endswith("is not a cursor"):
                    raise NotFoundError(error.message, error.hint) from error
                raise
        return self._response(request, answer)

    def _arguments(self, request: Request) -> dict[str, Any]:
        found: dict[str, Any] = {}
        pairs = [*request.path_params.items(), *request.query_params.multi_items()]
        for name, text in pairs:
            parameter = self._parameters.get(name)
            if parameter is None:
                if self._endpoint.is_strict:
                    known = ", ".join(each.name for each in self._endpoint.parameters if not each.in_path)
                    raise RefusedError(
                        400, f"there is no parameter {name[:80]!r}", f"there are: {known or 'none'}"
                    )
                continue
            if name in found:
                raise RefusedError(400, f"the parameter {name!r} is there twice")
            found[name] = _value(parameter, text)
        error = next(self._accepts.iter_errors(found), None)
        if error is not None:
            raise RefusedError(400, f"the parameters are not what they have to be: {_words(error)}")
        return found

    async def _body(self, request: Request, take: Callable[[int], bool]) -> tuple[bytes, Any]:
        wanted, bounds = self._endpoint.body, self._service.settings.bounds
        if wanted is None or self._accepts_body is None:
            return b"", None
        limit = getattr(bounds, wanted.limit)
        data = await read_body(request, wanted.content_types, limit, bounds.body_seconds, take)
        if wanted.is_raw:
            # It is large, and read once, strictly, by who has to understand it.
            return data, None
        document = parse_json(data, max_depth=_DEPTH)
        error = next(self._accepts_body.iter_errors(document), None)
        if error is not None:
            raise MalformedInputError(f"the body is not what it has to be: {_words(error)}")
        return data, document

    def _response(self, request: Request, answer: Answer) -> Response:
        data = answer.content if isinstance(answer.content, bytes) else encoded(answer.content)
        headers = dict(answer.headers)
        if self.method == "GET":
            tag = f'"{answer.tag or sha256(data).hexdigest()}"'
            headers["etag"] = tag
            headers.setdefault("cache-control", "private, no-cache" if self._is_private else "no-cache")
            if _has(request.headers.get("if-none-match", ""), tag):
                return Response(status_code=304, headers=headers)
        return Response(data, answer.status, headers, answer.content_type)

    @property
    def _is_private(self) -> bool:
        return self._service.settings.private or self._endpoint.role is not None


def encoded(document: JsonValue) -> bytes:
    """The bytes of a document."""
    try:
        return msgspec.json.encode(document)
    except OverflowError:
        # A server's schema may hold a number that only the canonical form can write.
        return canonical(document)


def _schema_of(parameters: Iterable[Parameter]) -> JsonObject:
    listed = list(parameters)
    return {
        "type": "object",
        "properties": {each.name: each.schema for each in listed},
        "required": [each.name for each in listed if each.required],
    }


def _value(parameter: Parameter, text: str) -> JsonValue:
    """The value that a text stands for; one that is not of the type stays a text, and is refused as such."""
    match parameter.schema.get("type"):
        case "integer" if text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER:
            return int(text)
        case "boolean":
            return _SPELLINGS.get(text, text)
        case _:
            return text


def _words(error: jsonschema_rs.ValidationError) -> str:
    place = "/".join(str(part) for part in error.instance_path)
    return f"{place}: {error.message}"[:300] if place else error.message[:300]


def _has(given: str, tag: str) -> bool:
    tags = [each.strip().removeprefix("W/") for each in given.split(",")]
    return tag in tags or "*" in tags
