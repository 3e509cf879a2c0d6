"""Sentences that ask for something: which names, joined how, and how urgently."""

import pytest

from avow.system.diagnosis.output.demands import Demand, Strength, demands
from avow.system.diagnosis.output.text import statements


def asked(text: str) -> tuple[Demand, ...]:
    """What the text asks for."""
    return demands(statements((text,)))


def ways(text: str) -> list[list[str]]:
    """The ways of the first demand."""
    return [[name.text for name in way] for way in asked(text)[0].ways]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FOO_TOKEN environment variable is required", [["FOO_TOKEN"]]),
        ("Please set FOO_TOKEN and FOO_TEAM", [["FOO_TOKEN", "FOO_TEAM"]]),
        (
            "Provide --email and --api-key or set E_MAIL and API_KEY",
            [["--email", "--api-key"], ["E_MAIL", "API_KEY"]],
        ),
        ("a key is required via --key, A_KEY, or A_KEY_FILE", [["--key"], ["A_KEY"], ["A_KEY_FILE"]]),
        ("Missing DD_API_KEY/DD_APP_KEY", [["DD_API_KEY", "DD_APP_KEY"]]),
        (
            "A_USER and either A_PASSWORD (Cloud) or A_TOKEN are required",
            [["A_USER", "A_PASSWORD"], ["A_USER", "A_TOKEN"]],
        ),
        ("Set A_URL, A_MAIL, A_TOKEN (or the legacy B_URL)", [["A_URL", "A_MAIL", "A_TOKEN"], ["B_URL"]]),
        ("the env var TOKEN must be set", [["TOKEN"]]),
        ("process.env.MY_KEY is undefined", [["MY_KEY"]]),
        ("FOO_KEY is required when FOO_MODE is set", [["FOO_KEY"]]),
        ("请设置 FOO_KEY 环境变量", [["FOO_KEY"]]),
    ],
)
def test_names_are_joined_as_the_sentence_joins_them(text: str, expected: list[list[str]]) -> None:
    """ "And" binds closer than "or", and a list is joined as its last two items are."""
    assert ways(text) == expected


def test_a_slash_between_names_is_no_choice_that_we_make() -> None:
    """`A/B` may mean either or both; it is told as a choice only with spaces around it."""
    assert ways("pass --token / MY_TOKEN, one is required") == [["--token"], ["MY_TOKEN"]]


def test_a_heading_asks_for_every_item_below_it() -> None:
    """Lists with and without bullets belong to the sentence that ends in a colon."""
    found = asked("Missing required environment variables:\n  - A_KEY: the key\n  - B_KEY\nBye.")

    assert [name.text for one in found for way in one.ways for name in way] == ["A_KEY", "B_KEY"]


@pytest.mark.parametrize(
    ("text", "strength"),
    [
        ("A_KEY is not set", Strength.REQUIRED),
        ("WARNING: A_KEY is not set", Strength.MISSED),
        ("Set A_KEY to continue", Strength.MISSED),
        ("A_KEY is not set, using the default", Strength.OPTIONAL),
        ("A_KEY not set - authentication is disabled", Strength.OPTIONAL),
        ("Set A_KEY to enable search", Strength.OPTIONAL),
        ("[DEBUG]   A_KEY: NOT SET", Strength.OPTIONAL),
        ("  A_KEY: not set", Strength.OPTIONAL),
    ],
)
def test_a_demand_is_as_strong_as_its_words(text: str, strength: Strength) -> None:
    """What a server can do without, it says so."""
    assert asked(text)[0].strength is strength


@pytest.mark.parametrize(
    "text",
    [
        "Server running, A_KEY loaded",
        "export A_KEY=your-key-required",
        "Error: ERR_MODULE_NOT_FOUND is required",
        "  --api-key <key>   Required for self-hosted instances",
    ],
)
def test_examples_codes_and_help_are_no_demands(text: str) -> None:
    """A name that merely occurs is not asked for."""
    assert not [one for one in asked(text) if one.ways and one.strength]


def test_a_positional_is_named_in_prose() -> None:
    """Some servers say only in words that an argument is missing."""
    assert ways("Please provide a database URL as a command-line argument") == [["database url"]]


def test_where_to_get_it_is_kept() -> None:
    """An address beside a demand is where people get what is asked for."""
    assert (
        asked("A_KEY is required. Get one at https://example.com/keys.")[0].link == "https://example.com/keys"
    )
