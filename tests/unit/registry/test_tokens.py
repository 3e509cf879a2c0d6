"""Recognising a token takes the same steps whether it is right or wrong: its time has nothing to tell."""

import hmac
import re
import unicodedata
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, cast

import pytest

from avow.errors import MalformedInputError
from avow.registry import tokens
from avow.registry.model import Role, Token
from avow.registry.store.interface import Store

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 11, 15, tzinfo=UTC)
SECRET = "s" * 43
KNOWN, ENDED, NOBODY = "a" * 16, "b" * 16, "c" * 16
RIGHT = f"avow_{KNOWN}_{SECRET}"
WRONG = {
    "another secret": f"avow_{KNOWN}_{'t' * 43}",
    "a secret that is almost right": f"{RIGHT[:-1]}t",
    "nobody's": f"avow_{NOBODY}_{SECRET}",
    "ended": f"avow_{ENDED}_{SECRET}",
    "too short": RIGHT[:-1],
    "too long": f"{RIGHT}s",
    "no token": "avow",
    "empty": "",
    "no text that a token could have": f"avow_{KNOWN}_{'ü' * 43}",
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass
class Steps:
    """A store with two tokens, which writes down each question to it and each comparison."""

    asked: list[str] = field(default_factory=list)
    compared: list[tuple[bytes, bytes]] = field(default_factory=list)

    async def token(self, identifier: str) -> Token | None:
        self.asked.append(identifier)
        known = Token(KNOWN, Role.READ, "ann", sha256(SECRET.encode()).digest(), NOW)
        return {KNOWN: known, ENDED: replace(known, id=ENDED, revoked_at=NOW)}.get(identifier)

    def compare(self, one: bytes, other: bytes) -> bool:
        self.compared.append((one, other))
        return hmac.compare_digest(one, other)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    made = Steps()

    class Recorded:
        compare_digest = staticmethod(made.compare)

    monkeypatch.setattr(tokens, "hmac", Recorded)
    return made


async def recognised(steps: Steps, text: str) -> Any:
    return await tokens.recognise(cast("Store", steps), text)


async def test_a_token_is_its_owners(steps: Steps) -> None:
    assert (await recognised(steps, RIGHT)).person == "ann"


@pytest.mark.parametrize("text", [RIGHT, *WRONG.values()], ids=["right", *WRONG])
async def test_every_token_takes_one_look_and_one_comparison_of_hashes(steps: Steps, text: str) -> None:
    """The look is by the public part. What is compared, in constant time, are hashes of one length."""
    found = await recognised(steps, text)

    assert (found is not None) == (text == RIGHT)
    [asked] = steps.asked
    assert len(asked) == 16
    [pair] = steps.compared
    assert [(type(each), len(each)) for each in pair] == [(bytes, 32)] * 2
    assert SECRET.encode() not in pair


def test_a_name_is_kept_in_its_usual_spelling() -> None:
    assert tokens.read_person("  A\u0308da Lovelace ") == "\u00c4da Lovelace"


@pytest.mark.parametrize(
    "name", ["", " ", "A\u200bda", "Ada\u202e", "A\nda", "A\u00adda", "A\U000e0041da", "x" * 201]
)
def test_a_name_that_could_be_taken_for_another_is_refused(name: str) -> None:
    with pytest.raises(MalformedInputError, match="can be seen"):
        tokens.read_person(name)


def test_every_format_character_is_one_that_is_not_seen() -> None:
    unseen = [chr(each) for each in range(0x110000) if unicodedata.category(chr(each)) == "Cf"]

    assert [each for each in unseen if re.fullmatch(tokens.ON_A_LINE, each)] == []
