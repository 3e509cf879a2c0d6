"""Bearer tokens: made once, stored hashed, and recognised in the same time whether right or wrong.

A token is `avow_`, a public identifier, and a secret of 256 random bits. A plain hash is enough for a secret
that nobody can guess; what a person chose as a password would need another.
"""

import hmac
import re
import secrets
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Final

from avow.errors import MalformedInputError
from avow.registry.model import NotFoundError, Role, Token
from avow.registry.store.interface import Store

_FORM: Final = re.compile(r"avow_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")
# Unicode's format characters: with them two names that look alike would be two people.
_UNSEEN: Final = (
    "\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f"
)
ON_A_LINE: Final = rf"[^\x00-\x1f\x7f-\x9f\u2028\u2029{_UNSEEN}]"
"""A character of a person's name, as a pattern."""

MAX_PERSON: Final = 200
_PERSON: Final = re.compile(f"{ON_A_LINE}{{1,{MAX_PERSON}}}")
_NOBODY: Final = sha256(secrets.token_bytes(32)).digest()

_INCLUDES: Final = {
    Role.READ: frozenset({Role.READ}),
    Role.PUBLISH: frozenset({Role.READ, Role.PUBLISH}),
    Role.APPROVE: frozenset({Role.READ, Role.APPROVE}),
    Role.ADMINISTER: frozenset(Role),
}


@dataclass(frozen=True, slots=True)
class Issued:
    """A new token, and the only copy of its text."""

    token: Token
    text: str


def may(role: Role, wanted: Role) -> bool:
    """Whether a role includes another."""
    return wanted in _INCLUDES[role]


def read_person(text: str) -> str:
    """A person's name in its usual spelling: it is shown beside decisions, on one line.

    Raises:
        MalformedInputError: it is empty, too long, or has characters that are not seen.
    """
    name = unicodedata.normalize("NFC", text.strip())
    if not _PERSON.fullmatch(name):
        raise MalformedInputError(
            f"a person's name has 1 to {MAX_PERSON} characters, all of which can be seen",
            hint="control, direction and zero-width characters are refused: names have to be told apart",
        )
    return name


async def issue(store: Store, person: str, role: Role, at: datetime) -> Issued:
    """Make a token for somebody.

    Raises:
        MalformedInputError: nobody is called that.
    """
    made = _made(person, role, at)
    await store.add_token(made.token)
    return made


async def first_token(store: Store, at: datetime) -> Issued | None:
    """The administrator's first token; None where tokens were given out before.

    Of several processes that start at once on one empty store, exactly one gets it.
    """
    # Most starts are not the first: they need not write.
    if await store.tokens():
        return None
    made = _made("administrator", Role.ADMINISTER, at)
    return made if await store.add_first_token(made.token) else None


def _made(person: str, role: Role, at: datetime) -> Issued:
    identifier, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
    token = Token(identifier, role, read_person(person), _hash(secret), at)
    return Issued(token, f"avow_{identifier}_{secret}")


async def recognise(store: Store, text: str) -> Token | None:
    """Whose token this is; None for whatever is wrong with it, without a difference in between."""
    form = _FORM.fullmatch(text)
    identifier, secret = (form[1], form[2]) if form else ("0" * 16, "")
    token = await store.token(identifier)
    fits = hmac.compare_digest(_hash(secret), _NOBODY if token is None else token.hashed)
    if token is None or not fits or form is None or token.revoked_at is not None:
        return None
    return token


async def revoke(store: Store, identifier: str, at: datetime) -> None:
    """End a token.

    Raises:
        NotFoundError: there is none with this identifier.
    """
    if not await store.revoke_token(identifier, at):
        raise NotFoundError("there is no such token", hint="`avow registry token list` shows them")


def _hash(secret: str) -> bytes:
    return sha256(secret.encode()).digest()
