"""The way to an endpoint, for whoever has to say something odd in a header."""

from collections.abc import Mapping

import httpx

from avow.core.canonical import JsonObject
from avow.core.target import HttpTarget
from avow.errors import AvowError, ServerLaunchError
from avow.system.connect.http import HttpChannel
from avow.system.connect.options import ConnectOptions

Headers = Mapping[str, str | None]


class NeedsAuthorizationError(ServerLaunchError):
    """The server is there, and talks only to those who show credentials."""


class OddHttpChannel(HttpChannel):
    """An endpoint whose session can be seen, and single requests to which can have other headers."""

    def __init__(self, target: HttpTarget, options: ConnectOptions) -> None:
        """Prepare to talk; nothing is sent yet."""
        super().__init__(target, options)
        self._odd: dict[int, Headers] = {}

    @property
    def session(self) -> str | None:
        """The session that the server opened, if it keeps any."""
        return self._session

    def use_headers(self, number: int, headers: Headers) -> None:
        """Send the request of this number with these headers, and without those that are None."""
        self._odd[number] = headers

    def _request_headers(self, message: JsonObject) -> dict[str, str]:
        odd = self._odd.get(message.get("id", 0), {})
        names = {name.lower() for name in odd}
        usual = {
            name: value
            for name, value in super()._request_headers(message).items()
            if name.lower() not in names
        }
        return usual | {name: value for name, value in odd.items() if value is not None}

    def _status_error(self, response: httpx.Response, body: bytes) -> AvowError:
        error = super()._status_error(response, body)
        if response.status_code in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
            return NeedsAuthorizationError(error.message, error.hint)
        return error
