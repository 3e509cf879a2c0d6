"""Who looks at a page: a token, given once, becomes a cookie that is good for pages only, and for some hours.

The cookie does not hold the token: what listens on another port of the same machine gets our cookies too. It
names the token and a time, sealed with a key that all processes of a registry share; a revoked token ends it.
"""

import hmac
import re
import time
from dataclasses import dataclass
from hashlib import sha256
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import Request

from avow.core.keys import PrivateKey
from avow.registry import tokens
from avow.registry.api.access import LOOPBACK, Caller, admit
from avow.registry.api.problems import RefusedError
from avow.registry.model import Token
from avow.registry.service import Service

HOURS: Final = 12
_COOKIE: Final = "avow-session"
_FORM: Final = re.compile(r"([0-9a-f]{16})\.([0-9]{1,12})\.([0-9a-f]{64})")
_PATH: Final = re.compile(r"/(?!/)[A-Za-z0-9._~%/?&=+:-]{0,500}")


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who signed in; `word` is what only our own forms can bring back."""

    caller: Caller
    word: str


def session_key(key: PrivateKey) -> bytes:
    """The key of all sessions, for every process that has the key of the log."""
    return sha256(key.sign(b"avow registry: sessions of pages")).digest()


class Sessions:
    """Opens sessions and recognises them."""

    def __init__(self, service: Service, key: bytes) -> None:
        """Seal with this key."""
        self._service = service
        self._key = key
        self._is_secure = service.settings.url.startswith("https://")
        # A browser takes a cookie of this name only from this very host, and only over TLS.
        self._name = f"__Host-{_COOKIE}" if self._is_secure else _COOKIE

    async def open(self, request: Request, text: str) -> str:
        """The header that sets a cookie, for whoever has this token.

        Raises:
            RefusedError: nobody has, or the same address has tried too often.
        """
        token = await tokens.recognise(self._service.store, text.strip())
        if token is None:
            self._count_failure(request)
            raise RefusedError(403, "this token is not valid here", "copy all of it, from avow_ to the end")
        until = int(self._service.clock().timestamp()) + HOURS * 3600
        value = f"{token.id}.{until}.{self._seal(token, until)}"
        return f"{self._name}={value}; Max-Age={HOURS * 3600}{self._attributes}"

    def close(self) -> str:
        """The header that takes the cookie away."""
        return f"{self._name}=; Max-Age=0{self._attributes}"

    async def read(self, request: Request) -> Session | None:
        """The session that a request belongs to; None for whatever is wrong with its cookie."""
        found = _FORM.fullmatch(request.cookies.get(self._name, ""))
        if found is None:
            return None
        identifier, until, seal = found[1], int(found[2]), found[3]
        token = await self._service.store.token(identifier)
        if token is None or not hmac.compare_digest(seal, self._seal(token, until)):
            return None
        if token.revoked_at is not None or until <= self._service.clock().timestamp():
            return None
        return Session(Caller(token.person, token.role), self._mac(f"form {found[0]}"))

    async def caller(self, request: Request, session: Session | None) -> Caller:
        """Who asks, when they may read here; without a session the same rules hold as for the API.

        Raises:
            RefusedError: they may not, or ask too often.
        """
        if session is None:
            return await admit(request, self._service, None)
        wait = self._service.limits.tokens.wait(session.caller.person, time.monotonic())
        if wait > 0:
            raise RefusedError(429, "too many requests", "wait a moment")
        return session.caller

    def _count_failure(self, request: Request) -> None:
        address = request.client.host if request.client else ""
        self._service.metrics.count("refusals", reason="token")
        if address in LOOPBACK and not self._service.settings.limits_loopback:
            return
        if self._service.limits.failures.wait(address, time.monotonic()) > 0:
            raise RefusedError(429, "too many wrong tokens came from this address", "wait a minute")

    def _seal(self, token: Token, until: int) -> str:
        return self._mac(f"session {token.id} {until} {token.hashed.hex()}")

    def _mac(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), sha256).hexdigest()

    @property
    def _attributes(self) -> str:
        return "; Path=/; HttpOnly; SameSite=Strict" + ("; Secure" if self._is_secure else "")


def check_origin(request: Request) -> None:
    """Refuse what another site's page sent, as far as the browser tells.

    Raises:
        RefusedError: it came from elsewhere.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    is_foreign = site not in (None, "same-origin", "none")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        is_foreign = True
    if is_foreign:
        raise RefusedError(403, "this form was sent by another site")


def check_word(session: Session, word: str) -> None:
    """Refuse a form that is not from a page of this session.

    Raises:
        RefusedError: it is not.
    """
    if not hmac.compare_digest(word.encode(), session.word.encode()):
        raise RefusedError(403, "this form is not from a page of yours", "open the page again, then send it")


def local_path(text: str) -> str:
    """Where to go on after signing in: a path here, or the first page."""
    return text if _PATH.fullmatch(text) else "/"
