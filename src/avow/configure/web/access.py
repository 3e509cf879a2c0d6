"""Who may talk to the form: one browser, that came by the link which we printed, and no other site in it.

Whatever listens on another port of this machine shares cookies with us, so the form lives below a path that
nobody can guess, and its cookie goes nowhere else.
"""

import secrets
import threading
from http.cookies import CookieError, SimpleCookie
from typing import Final

_BYTES: Final = 32


class Access:
    """What one form keeps: a link that works once, the cookie it is exchanged for, the form's own word."""

    def __init__(self, port: int) -> None:
        """Make new secrets for the form on this port."""
        self._port = port
        self._ticket: str | None = secrets.token_urlsafe(_BYTES)
        self._pass = secrets.token_urlsafe(_BYTES)
        self._lock = threading.Lock()
        self.word = secrets.token_urlsafe(_BYTES)
        self.home = f"/{secrets.token_urlsafe(12)}/"

    @property
    def link(self) -> str:
        """The address to open; it works once."""
        return f"{self.origin}{self.home}start?ticket={self._ticket}"

    @property
    def origin(self) -> str:
        """How a browser names us."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def _cookie_name(self) -> str:
        return f"avow-{self._port}"

    def is_our_host(self, host: str | None) -> bool:
        """Whether the browser thinks that it talks to this machine, and not to a name that leads here."""
        return host in (f"127.0.0.1:{self._port}", f"localhost:{self._port}")

    def is_our_origin(self, origin: str | None) -> bool:
        """Whether a form was sent from one of our own pages, as far as the browser tells."""
        return origin is None or origin in (self.origin, f"http://localhost:{self._port}")

    def redeem(self, ticket: str) -> str | None:
        """The cookie to set for whoever comes with the ticket first; None for everybody else."""
        with self._lock:
            if self._ticket is None or not _same(ticket, self._ticket):
                return None
            self._ticket = None
        return f"{self._cookie_name}={self._pass}; Path={self.home}; HttpOnly; SameSite=Strict"

    def is_known(self, header: str | None) -> bool:
        """Whether the cookies of a request hold ours."""
        try:
            morsel = SimpleCookie(header or "").get(self._cookie_name)
        except CookieError:
            return False
        return morsel is not None and _same(morsel.value, self._pass)

    def is_our_word(self, word: str) -> bool:
        """Whether a form carries what only our own page could put there."""
        return _same(word, self.word)


def _same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode(errors="replace"), other.encode())
