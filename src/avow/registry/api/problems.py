"""Failures as problem documents (RFC 9457): what went wrong, whose fault it is, and what to do next."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import msgspec
from starlette.responses import Response

from avow.errors import AvowError, MalformedInputError, UnavailableError, VerificationError
from avow.registry.model import ConflictError, NotFoundError

if TYPE_CHECKING:
    from avow.core.canonical import JsonObject

CONTENT_TYPE: Final = "application/problem+json"

_TITLES: Final = {
    400: ("malformed-request", "The request cannot be understood"),
    401: ("token-needed", "A token is needed"),
    403: ("refused", "This is not allowed"),
    404: ("not-found", "There is no such thing here"),
    405: ("wrong-method", "This cannot be done here"),
    408: ("too-slow", "The request took too long"),
    409: ("conflict", "This contradicts what is there"),
    411: ("length-needed", "The length of the body has to be told"),
    413: ("too-large", "The request is too large"),
    415: ("wrong-content", "The body is of another kind than needed"),
    421: ("wrong-host", "This service is not that host"),
    422: ("malformed-content", "The content is not what it has to be"),
    429: ("too-many", "These are too many requests"),
    500: ("mistake", "This is a mistake of the registry"),
    503: ("unavailable", "The registry cannot do this now"),
}


class RefusedError(AvowError):
    """A request that HTTP itself has a word for."""

    def __init__(
        self, status: int, message: str, hint: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        """Keep the status and what else to say."""
        super().__init__(message, hint)
        self.status = status
        self.headers = dict(headers or {})


def problem(error: AvowError, *, is_official: bool = False) -> Response:
    """The answer that tells of an error; clients of the official registry look for the member `error`."""
    status, headers = _status(error)
    word, title = _TITLES[status]
    document: JsonObject = {
        "type": f"urn:avow:problem:{word}",
        "title": title,
        "status": status,
        "detail": error.message,
    }
    if error.hint:
        document["hint"] = error.hint
    if is_official:
        document["error"] = error.message
    # What is not here may be published any moment.
    kept = {**headers, "cache-control": "no-store"}
    return Response(msgspec.json.encode(document), status, kept, CONTENT_TYPE)


def _status(error: AvowError) -> tuple[int, dict[str, str]]:
    match error:
        case RefusedError(status=status, headers=headers):
            return status, headers
        case NotFoundError():
            return 404, {}
        case ConflictError():
            return 409, {}
        case VerificationError():
            return 403, {}
        case MalformedInputError():
            return 422, {}
        case UnavailableError():
            return 503, {"retry-after": "5"}
        case _:
            return 500, {}
