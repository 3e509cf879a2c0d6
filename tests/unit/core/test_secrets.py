"""What a server was given is in no file and in no report, however often it repeats it."""

from dataclasses import replace
from typing import Any

import pytest

from avow.core.capability import Capability, Kind, Signature
from avow.core.drift.compare import diff
from avow.core.secrets import Striking, leaked_secrets, refuse_secrets, secrets_among
from avow.core.snapshot import Era, Snapshot, Volatile
from avow.core.target import StdioTarget
from avow.errors import LockfileError

NOISE = "Zk3vQ9" + "xT7bLmW2pRs8YdC4hJ5n"
SECRET = "hunter2SECRETxyz99"


def snapshot(description: str = "Send mail.", **members: Any) -> Snapshot:
    tool = Capability.read(Kind.TOOL, {"name": "send", "description": description, "inputSchema": {}})
    plain = Snapshot(
        StdioTarget("demo"), {"name": "demo"}, "2025-11-25", Era.LEGACY, {}, Signature.of([tool])
    )
    return replace(plain, **members)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("MYTOK", SECRET, id="a word that is long enough"),
        pytest.param("API_TOKEN", "abcd", id="short, under a name for it"),
        pytest.param("X", NOISE, id="noise"),
        pytest.param("GREETING", "well, hello there", id="words"),
        pytest.param("X", f"/srv/{NOISE}", id="noise in a path"),
        pytest.param("X", "https://h/mcp?id=abc", id="an address with a parameter"),
        pytest.param("X", "https://me@h/mcp", id="an address with a user"),
        pytest.param("X", "https://[::1/mcp", id="a broken address"),
        pytest.param("X", f"https://h/{NOISE}/mcp", id="an address with noise"),
    ],
)
def test_what_may_be_a_secret_is_one(name: str, value: str) -> None:
    assert secrets_among({name: value}) == {name: value}


@pytest.mark.parametrize(
    "value",
    [
        "short",
        "/home/me/projects",
        "./some/where",
        "~/notes and more",
        "C:\\Users\\me",
        "https://api.example.com/v1",
        "1234567890",
        "10.0.0.1:8080",
        "disabled",
        "Production",
        "en_US.UTF-8",
        "Europe/Berlin",
        "America/Argentina/Buenos_Aires",
        "localhost:5432",
    ],
)
def test_what_nobody_keeps_to_himself_is_none(value: str) -> None:
    assert secrets_among({"SETTING": value}) == {}


def test_a_digit_is_no_secret_whatever_it_is_called() -> None:
    assert secrets_among({"API_TOKEN": "1", "EMPTY_TOKEN": ""}) == {}


def test_of_a_header_the_secret_is_what_follows_the_scheme() -> None:
    """A server repeats the token, not the word before it."""
    values = {"Authorization": f"Bearer {SECRET}", "X-Team": "Blue and green"}

    assert secrets_among(values) == {"Authorization": SECRET, "X-Team": "Blue and green"}
    assert leaked_secrets([f"as {SECRET}"], values) == ("Authorization",)


def test_a_server_that_repeats_a_secret_is_found_out() -> None:
    """In a default, a description, the name of a member: anywhere in what would be written."""
    values = {
        "GITHUB_TOKEN": "s3cret-value",
        "PIN_TOKEN": "1234",
        "HOME": "/home/me",
        "EMPTY_TOKEN": "",
        "X": NOISE,
        "SALT": "salt & pepper",
    }

    assert leaked_secrets(
        {"a": ["uses s3cret-value", {NOISE: "1234"}, "?q=salt%20%26%20pepper"]}, values
    ) == (
        "GITHUB_TOKEN",
        "PIN_TOKEN",
        "SALT",
        "X",
    )
    assert leaked_secrets({"a": "/home/me, 12345, s3cret"}, values) == ()
    assert leaked_secrets({"a": "/home/me"}, {"HOME": "/home/me"}) == ()


def test_nothing_with_a_secret_is_written() -> None:
    target = StdioTarget("server")

    refuse_secrets(target, {"a": "b"}, {"MYTOK": SECRET})
    with pytest.raises(LockfileError, match="MYTOK") as caught:
        refuse_secrets(target, {"a": f"tok {SECRET}"}, {"MYTOK": SECRET})
    assert SECRET not in caught.value.message + caught.value.hint
    with pytest.raises(LockfileError, match="the value of --token") as caught:
        refuse_secrets(StdioTarget("server", ("--token", SECRET)), {}, {})
    assert "${NAME}" in caught.value.hint
    assert SECRET not in caught.value.message


def test_a_secret_is_struck_wherever_a_server_may_put_it() -> None:
    seen = snapshot(
        f"As {SECRET}!",
        server={"name": SECRET, "version": 1},
        capabilities={"experimental": {SECRET: [f"{SECRET}s", True]}},
        instructions=f"Use {SECRET}",
        configuration_schema=[SECRET],
        notes=(f"said {SECRET}",),
        volatile=(Volatile(f"/tools/{SECRET}/inputSchema/default", f"text: {SECRET}"),),
        extra={"incomplete": [SECRET]},
    )

    struck = Striking.of({"MYTOK": SECRET}, [seen]).snapshot(seen)

    assert SECRET not in repr(struck)
    assert struck.signature.tools["send"].definition["description"] == "As [MYTOK]!"
    assert struck.capabilities == {"experimental": {"[MYTOK]": ["[MYTOK]s", True]}}


def test_a_short_secret_is_struck_where_it_stands_alone() -> None:
    strike = Striking.of({"PIN_TOKEN": "1234"}, [snapshot("1234")])

    assert (strike.text("1234"), strike.text("12345")) == ("[PIN_TOKEN]", "12345")


def test_of_two_secrets_the_longer_is_struck_whole() -> None:
    values = {"A": SECRET, "B": f"{SECRET}-and-more"}
    strike = Striking.of(values, [snapshot(f"{SECRET}-and-more, {SECRET}")])

    assert strike.text(f"{SECRET}-and-more, {SECRET}") == "[B], [A]"


@pytest.mark.parametrize("said", ["[MYTOK]", "[MYTOK] [MYTOK*] [MYTOK**]"])
def test_a_difference_cannot_hide_behind_the_mark(said: str) -> None:
    """The server was approved with the very words that we put in place of the secret."""
    before, after = snapshot(f"As {said}"), snapshot("As " + said.replace("[MYTOK]", SECRET))
    strike = Striking.of({"MYTOK": SECRET}, [before, after])

    (drift,) = diff(strike.snapshot(before), strike.snapshot(after))

    assert SECRET not in repr(drift)
    assert drift.type == "tool_changed"


def test_a_secret_in_another_notation_has_another_mark() -> None:
    before, after = snapshot("?q=salt%20and%20pepper"), snapshot("?q=salt and pepper")
    strike = Striking.of({"SALT": "salt and pepper"}, [before, after])

    assert strike.text("?q=salt%20and%20pepper") == "?q=[SALT, encoded]"
    assert len(diff(strike.snapshot(before), strike.snapshot(after))) == 1


def test_nothing_is_struck_where_nothing_was_given_or_repeated() -> None:
    seen = snapshot()

    for values in ({}, {"MYTOK": SECRET}, {"HOME": "/home/me"}):
        strike = Striking.of(values, [seen])
        assert strike.snapshot(seen) is seen
        assert strike.text(SECRET) == SECRET
