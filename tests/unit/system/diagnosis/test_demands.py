"""Sentences that ask for something: which names, joined how, and how urgently."""

import time

import pytest

from avow.system.diagnosis.diagnosing import diagnose
from avow.system.diagnosis.evidence import Evidence, Outcome
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


FLOODS = {
    "lines": "".join(f"KEY_{n} is required\n" for n in range(20_000)),
    "lists": "".join(
        f"error: environment variables {', '.join(f'A{n}_KEY{m}' for m in range(60))} are required\n"
        for n in range(1_200)
    ),
    "a frame": "╭─ Error ─╮\n" + "".join(f"│ KEY_{n} is required {'x' * 40} │\n" for n in range(15_000)),
    "a log line": "[01/01/25 10:00:00] ERROR wants\n"
    + "".join(f"{' ' * 20}KEY_{n} is required and\n" for n in range(19_000)),
    "addresses": "Error [\n" + ("  " + "https://! KEY_A is required. " * 60 + "\n") * 395 + "]\n",
    "a parser": "".join(
        f"error: the following arguments are required: {', '.join(f'--a{n}-{m}' for m in range(60))}\n"
        for n in range(2_000)
    ),
}


@pytest.mark.parametrize("text", FLOODS.values(), ids=FLOODS)
def test_a_server_that_asks_for_more_than_anybody_has_is_heard_for_a_short_time(text: str) -> None:
    started = time.process_time()
    needs = diagnose(Evidence(Outcome.EXITED, stderr=text, exit_code=1)).parameters
    assert time.process_time() - started < 2
    assert 0 < len(needs) <= 64


def test_what_is_said_again_and_again_is_heard_once_and_what_follows_too() -> None:
    said = asked("FIRST_KEY is required\n" * 3_000 + "LAST_KEY is required\n")
    assert [name.text for demand in said for way in demand.ways for name in way] == ["FIRST_KEY", "LAST_KEY"]
