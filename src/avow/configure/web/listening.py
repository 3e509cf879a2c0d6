"""An HTTP server of the form: loopback only, bounded in size and time, silent, gone once it is over."""

import json
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any, Final, Protocol
from urllib.parse import parse_qs, urlsplit

from avow.configure.web.access import Access
from avow.configure.web.pages import notice_page, onward_page

_LARGEST_BODY: Final = 1024 * 1024
_MOST_FIELDS: Final = 512
_MOST_AT_ONCE: Final = 24
_TIME_TO_ASK: Final = 15.0
_TICK: Final = 0.25

_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_ASSETS: Final = {"style.css": "text/css; charset=utf-8", "form.js": "text/javascript; charset=utf-8"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What the browser gets; with `is_last` nothing follows."""

    body: str
    status: HTTPStatus = HTTPStatus.OK
    is_last: bool = False
    kind: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)


class Form(Protocol):
    """What is behind the server: it shows itself and takes what was filled in."""

    def show(self, word: str) -> Answer:
        """The form; `word` is what it has to bring back."""

    def submit(self, fields: Mapping[str, str], word: str) -> Answer:
        """Somebody pressed a button."""

    def complete(self, text: str, field: str) -> list[str]:
        """Paths that begin like the text."""


class FormServer:
    """A form on a port of its own, until somebody is done with it."""

    def __init__(self, form: Form) -> None:
        """Take a free port of this machine; nobody is served yet."""
        self.form = form
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self.access = Access(self._server.server_port)
        self._over = threading.Event()
        self._active = time.monotonic()
        self._busy = 0
        self._lock = threading.Lock()

    @property
    def link(self) -> str:
        """The address to open; it works once."""
        return self.access.link

    def serve(self, idle: float) -> bool:
        """Serve until the form is done; False when nobody did anything for `idle` seconds."""
        thread = threading.Thread(target=self._server.serve_forever, args=(_TICK,), daemon=True)
        thread.start()
        try:
            while not self._over.wait(_TICK):
                if not self._busy and time.monotonic() > self._active + idle:
                    return False
            return True
        finally:
            self._server.shutdown()
            self._wait_for_last_answer()
            self._server.server_close()

    def began(self) -> None:
        """A request is being answered."""
        with self._lock:
            self._busy += 1

    def ended(self, *, counts: bool, is_last: bool) -> None:
        """A request was answered; one from somebody who may use the form counts as a sign of life."""
        with self._lock:
            self._busy -= 1
            if counts:
                self._active = time.monotonic()
        if is_last:
            self._over.set()

    def _wait_for_last_answer(self) -> None:
        until = time.monotonic() + 2.0
        while self._busy and time.monotonic() < until:
            time.sleep(0.01)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    owner: FormServer

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._places = threading.BoundedSemaphore(_MOST_AT_ONCE)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._places.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away is no news, and a traceback could hold what was typed."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = _TIME_TO_ASK
    server_version = "avow"
    sys_version = ""
    _counts = False

    def setup(self) -> None:
        super().setup()
        # A timeout counts from byte to byte: somebody who sends one now and then would stay for ever.
        self._patience = threading.Timer(_TIME_TO_ASK, self._give_up)
        self._patience.daemon = True
        self._patience.start()

    def finish(self) -> None:
        self._patience.cancel()
        super().finish()

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002  the library's names
        """Nothing: addresses hold the ticket."""

    def _give_up(self) -> None:
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RD)

    def _answer(self, respond: Callable[[], Answer]) -> None:
        owner = self.server.owner
        owner.began()
        answer = None
        try:
            answer = self._refusal() or respond()
            self._send(answer)
        finally:
            owner.ended(counts=self._counts, is_last=answer is not None and answer.is_last)

    def _refusal(self) -> Answer | None:
        if not self._access.is_our_host(self.headers.get("Host")):
            return _refused("This page is only for this machine.", HTTPStatus.MISDIRECTED_REQUEST)
        if not self.path.startswith(self._access.home):
            return _refused("There is nothing here.", HTTPStatus.NOT_FOUND)
        return None

    def _get(self) -> Answer:
        address = urlsplit(self.path)
        name = address.path.removeprefix(self._access.home)
        if name in _ASSETS:
            # The last page is shown when nobody is there any more to ask for its looks.
            kept = {"Cache-Control": "private, max-age=3600"}
            return Answer(_asset(name), kind=_ASSETS[name], headers=kept)
        if name == "start":
            return self._start(parse_qs(address.query).get("ticket", [""])[0])
        if not self._access.is_known(self.headers.get("Cookie")):
            return _refused("Open the link that the terminal shows.", HTTPStatus.FORBIDDEN)
        self._counts = True
        if name == "":
            return self.server.owner.form.show(self._access.word)
        if name == "paths":
            return self._paths(parse_qs(address.query))
        return _refused("There is nothing here.", HTTPStatus.NOT_FOUND)

    def _start(self, ticket: str) -> Answer:
        cookie = self._access.redeem(ticket)
        if cookie is None and not self._access.is_known(self.headers.get("Cookie")):
            return _refused(
                "This link was used already. Run the command again for a new one.", HTTPStatus.FORBIDDEN
            )
        self._cookie = cookie
        self._counts = True
        # A page that goes on by itself, and not a redirect: after one that came from elsewhere the
        # browser would not send a cookie as strict as ours.
        return Answer(onward_page())

    _cookie: str | None = None

    def _paths(self, query: Mapping[str, list[str]]) -> Answer:
        found = self.server.owner.form.complete(query.get("text", [""])[0], query.get("field", [""])[0])
        return Answer(json.dumps(found), kind="application/json")

    def _post(self) -> Answer:
        if not self._access.is_known(self.headers.get("Cookie")):
            return _refused("Open the link that the terminal shows.", HTTPStatus.FORBIDDEN)
        if not self._access.is_our_origin(self.headers.get("Origin")):
            return _refused("This form was sent from another page.", HTTPStatus.FORBIDDEN)
        fields = self._fields()
        if fields is None:
            return _refused("That is more than this form can hold.", HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        if not self._access.is_our_word(fields.pop("word", "")):
            return _refused("This form was sent from another page.", HTTPStatus.FORBIDDEN)
        self._counts = True
        return self.server.owner.form.submit(fields, self._access.word)

    def _fields(self) -> dict[str, str] | None:
        """What was filled in; None when it is too much, or not a form."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or int(length) > _LARGEST_BODY:
            return None
        body = self.rfile.read(int(length))
        self._patience.cancel()
        try:
            pairs = parse_qs(
                body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict"
            )
        except ValueError:
            return None
        return {name: values[-1] for name, values in pairs.items()}

    @property
    def _access(self) -> Access:
        return self.server.owner.access

    def _send(self, answer: Answer) -> None:
        data = answer.body.encode()
        self.send_response(answer.status)
        for name, value in {**_HEADERS, **answer.headers, "Content-Type": answer.kind}.items():
            self.send_header(name, value)
        if self._cookie is not None:
            self.send_header("Set-Cookie", self._cookie)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _refused(words: str, status: HTTPStatus) -> Answer:
    return Answer(notice_page("Not here", words), status)


def _asset(name: str) -> str:
    return (files("avow.configure.web") / "assets" / name).read_text(encoding="utf-8")
