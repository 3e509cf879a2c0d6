"""Bodies of requests: bounded in size and time, and never unpacked."""

import asyncio
from collections.abc import Callable
from typing import Final

from starlette.requests import ClientDisconnect, Request

from avow.registry.api.problems import RefusedError

# Nobody reads on what somebody sends who does not keep to the limits.
_CLOSE: Final = {"connection": "close"}


async def read_body(
    request: Request,
    content_types: tuple[str, ...],
    limit: int,
    seconds: float,
    take: Callable[[int], bool] | None = None,
) -> bytes:
    """The body, if it is of one of these kinds, not too large, and comes in time.

    `take` finds room for each piece, or answers that there is none.

    Raises:
        RefusedError: it is not.
    """
    if request.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise RefusedError(415, "bodies are not unpacked here", "send it without Content-Encoding", _CLOSE)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in content_types:
        raise RefusedError(415, f"the content type has to be {' or '.join(content_types)}", headers=_CLOSE)
    length = request.headers.get("content-length", "0")
    if not length.isdigit() or len(length) > 15 or int(length) > limit:
        raise _too_large(limit)
    pieces: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            async for piece in request.stream():
                size += len(piece)
                if size > limit:
                    raise _too_large(limit)
                if take is not None and not take(len(piece)):
                    raise RefusedError(
                        503, "too much is being sent here now", "try again", {**_CLOSE, "retry-after": "2"}
                    )
                pieces.append(piece)
    except TimeoutError:
        raise RefusedError(408, f"the body did not come within {seconds:g} seconds", headers=_CLOSE) from None
    except ClientDisconnect:
        raise RefusedError(400, "the client went away", headers=_CLOSE) from None
    return b"".join(pieces)


def _too_large(limit: int) -> RefusedError:
    return RefusedError(413, f"the body is larger than {limit} bytes", headers=_CLOSE)
