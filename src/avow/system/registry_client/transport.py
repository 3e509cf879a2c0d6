"""Requests to a registry, with a limit to everything that comes back and an error for whatever goes wrong."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, Final, Self

import httpx

from avow.core.canonical import MAX_FILE_DEPTH, JsonObject, parse_json
from avow.core.printable import printable
from avow.errors import (
    MalformedInputError,
    PeerProtocolError,
    RegistryUnavailableError,
    UsageError,
)
from avow.system.registry_client.address import is_local, read_address
from avow.system.registry_client.deadline import Connections, Deadline

MAX_JSON: Final = 32 * 1024 * 1024
"""A snapshot may have eight megabytes, and an answer more than one part."""

MAX_VALUES: Final = 1_000_000
"""How many values an answer in JSON may hold: a few bytes each take a hundred in memory."""

TIMEOUT: Final = 30.0
"""How many seconds to wait for each piece of an answer; a whole exchange may take `WHOLE` times as long."""

WHOLE: Final = 4

_CONNECT: Final = 10.0
_MAX_PROBLEM: Final = 64 * 1024
_MAX_WORDS: Final = 500


class RefusedError(UsageError):
    """The registry understood, and says no; `status` is that of HTTP."""

    def __init__(self, message: str, hint: str = "", *, status: int) -> None:
        """Keep the status, for those who want to know why."""
        super().__init__(message, hint)
        self.status = status


class Transport:
    """A connection to one registry."""

    def __init__(
        self, url: str, token: str = "", *, timeout: float = TIMEOUT, over: httpx.BaseTransport | None = None
    ) -> None:
        """Prepare to ask; nothing is sent yet.

        Raises:
            UsageError: this is not an address, or the token would be readable on its way there.
        """
        self.url = read_address(url)
        local = is_local(self.url)
        if token and not local and self.url.startswith("http:"):
            raise UsageError(
                f"the token would go to {self.url} for everybody on the way to read", hint="use https"
            )
        if not token.isascii() or not token.isprintable() or " " in token:
            raise UsageError("the token holds characters that no token has", hint="copy it again")
        # Compressed answers could be larger than they look.
        headers = {"Accept-Encoding": "identity", "User-Agent": "avow"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._timeout = timeout
        self._until = float("inf")
        self._connections = Connections()
        # Reading the certificates takes longer than a request without them; a proxy never leads to ourselves.
        self._client = httpx.Client(
            headers=headers,
            timeout=httpx.Timeout(timeout, connect=min(timeout, _CONNECT)),
            verify=self.url.startswith("https:"),
            trust_env=not local,
            transport=over,
        )

    def __enter__(self) -> Self:
        """Use it until the end of a block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the connections."""
        self._client.close()

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Let everything that is asked in a block be answered in this time together, or not at all."""
        before = self._until
        self._until = min(before, time.monotonic() + seconds)
        try:
            yield
        finally:
            self._until = before

    def get(self, path: str, query: Mapping[str, object | None] | None = None, *, limit: int) -> bytes:
        """The bytes at a path.

        Raises:
            RegistryUnavailableError: there is no answer now.
            RefusedError: the registry says no.
            PeerProtocolError: the answer is none.
        """
        return self._exchange("GET", path, limit, params=_given(query))

    def get_json(
        self, path: str, query: Mapping[str, object | None] | None = None, *, limit: int = MAX_JSON
    ) -> JsonObject:
        """The JSON object at a path; raises what `get` does."""
        return self._read(path, self.get(path, query, limit=limit))

    def post(self, path: str, body: bytes, method: str = "POST") -> JsonObject:
        """Send JSON and read the answer; raises what `get` does."""
        headers = {"Content-Type": "application/json"}
        return self._read(path, self._exchange(method, path, MAX_JSON, content=body, headers=headers))

    def delete(self, path: str) -> None:
        """End something; raises what `get` does."""
        self._exchange("DELETE", path, MAX_JSON)

    def _exchange(self, method: str, path: str, limit: int, **parts: Any) -> bytes:
        deadline = Deadline(min(self._until, time.monotonic() + WHOLE * self._timeout))

        def trace(step: str, info: Mapping[str, Any]) -> None:
            self._connections.note(info)
            # A step that has failed, or that cleans up, goes its way: nobody is there to hear of it.
            if deadline.is_over and not step.endswith(".failed") and ".response_closed." not in step:
                raise self._too_slow()

        try:
            with (
                self._connections.until(deadline),
                self._client.stream(
                    method, f"{self.url}/{path}", extensions={"trace": trace}, **parts
                ) as response,
            ):
                if response.headers.get("content-encoding", "identity") != "identity":
                    raise PeerProtocolError(f"{self.url} compresses its answers although it was asked not to")
                if response.is_success:
                    return self._body(response, limit, deadline)
                raise self._refusal(response, self._body(response, _MAX_PROBLEM, deadline))
        except httpx.TimeoutException as exc:
            raise self._unavailable("did not answer in time") from exc
        except (httpx.HTTPError, httpx.InvalidURL) as exc:
            if deadline.is_over:
                raise self._too_slow() from exc
            if "WRONG_VERSION_NUMBER" in str(exc):
                spoken = self.url.replace("https:", "http:", 1)
                raise self._unavailable("does not speak TLS", f"did you mean {spoken}?") from exc
            reason = printable(str(exc), _MAX_WORDS, fold=True) or type(exc).__name__
            raise self._unavailable(f"cannot be reached: {reason}") from exc

    def _body(self, response: httpx.Response, limit: int, deadline: Deadline) -> bytes:
        data = bytearray()
        for chunk in response.iter_bytes():
            data += chunk
            if len(data) > limit:
                raise PeerProtocolError(f"{self.url} answers more than {limit} bytes, and was not believed")
            if deadline.is_over:
                break
        # Also when the answer seems to be complete: we may have closed the connection ourselves.
        if deadline.is_over:
            raise self._too_slow()
        return bytes(data)

    def _refusal(self, response: httpx.Response, body: bytes) -> Exception:
        status, (detail, hint) = response.status_code, _problem(body)
        if response.is_redirect:
            return PeerProtocolError(
                f"{self.url} sends us elsewhere", hint="give the address where the registry itself is"
            )
        if status in (408, 425, 429) or status >= 500:
            return self._unavailable(f"cannot answer now ({status}){detail and ': '}{detail}", hint)
        if status == 401 and "authorization" in self._client.headers:
            return RefusedError(
                f"{self.url} does not take the token that it was given{detail and ': '}{detail}",
                "it is in AVOW_REGISTRY_TOKEN, or `avow registry token keep` has kept it; was it revoked?",
                status=status,
            )
        if status in (401, 403):
            what = "needs a token" if status == 401 else "does not allow this"
            hint = (
                hint or "an administrator makes another token: `avow registry token add PERSON --role ROLE`"
            )
            return RefusedError(f"{self.url} {what}{detail and ': '}{detail}", hint, status=status)
        if not detail:
            hint = "is the address right, and is a registry there?"
            words = f"{self.url} refuses ({status}), and not in the words of a registry"
            return RefusedError(words, hint, status=status)
        return RefusedError(f"{self.url} refuses ({status}): {detail}", hint, status=status)

    def _too_slow(self) -> RegistryUnavailableError:
        return self._unavailable(
            "answers too slowly", "try again; what is between here and there may be slow"
        )

    def _unavailable(self, what: str, hint: str = "") -> RegistryUnavailableError:
        return RegistryUnavailableError(
            f"the registry {self.url} {what}", hint or "is it running, and is the address right?"
        )

    def _read(self, path: str, data: bytes) -> JsonObject:
        # Each value but the first comes after one of these; those inside of texts are counted, too.
        if data.count(b",") + data.count(b"[") + data.count(b"{") > MAX_VALUES:
            raise PeerProtocolError(f"{self.url}/{path} answers more than {MAX_VALUES} values")
        try:
            document = parse_json(data, max_depth=MAX_FILE_DEPTH)
        except MalformedInputError as exc:
            raise PeerProtocolError(
                f"{self.url}/{path} does not answer JSON: {exc.message}",
                hint="is the address right, and is a registry there?",
            ) from exc
        if not isinstance(document, dict):
            raise PeerProtocolError(f"{self.url}/{path} does not answer a JSON object")
        return document


def _given(query: Mapping[str, object | None] | None) -> dict[str, str]:
    return {name: str(value) for name, value in (query or {}).items() if value is not None}


def _problem(body: bytes) -> tuple[str, str]:
    """What a problem document says, fit for a terminal (RFC 9457)."""
    with suppress(MalformedInputError):
        document = parse_json(body)
        if isinstance(document, dict):
            said = (document.get("detail") or document.get("title"), document.get("hint"))
            words = [printable(each, _MAX_WORDS, fold=True) if isinstance(each, str) else "" for each in said]
            return words[0], words[1]
    return "", ""
