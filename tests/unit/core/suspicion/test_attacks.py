"""Texts of the kinds that have been published as attacks, each with the sign that gives it away."""

import json
from pathlib import Path

import pytest

from avow.core.suspicion import suspicions

ATTACKS = json.loads((Path(__file__).parent / "attacks.json").read_text(encoding="ascii"))


@pytest.mark.parametrize("attack", ATTACKS, ids=[ascii(attack["text"])[:60] for attack in ATTACKS])
def test_an_attack_is_seen(attack: dict[str, str]) -> None:
    assert attack["sign"] in {suspicion.sign for suspicion in suspicions(attack["text"])}


@pytest.mark.parametrize("attack", ATTACKS, ids=[ascii(attack["text"])[:60] for attack in ATTACKS])
def test_an_attack_is_seen_at_the_end_of_an_ordinary_description(attack: dict[str, str]) -> None:
    text = "Searches the index and returns the best results.\n\n" + attack["text"]

    assert attack["sign"] in {suspicion.sign for suspicion in suspicions(text)}
