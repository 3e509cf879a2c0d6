"""What a server is given, from wherever it comes."""

import pytest

from avow.core.target import FileTarget, HttpTarget, StdioTarget
from avow.system.given import given_to
from avow.system.targets import Given, Reachable, reach


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AMBIENT", "from-outside")
    monkeypatch.setenv("IN_AN_ARGUMENT", "also-from-outside")


def test_variables_come_from_the_command_line_or_from_around_us() -> None:
    target = StdioTarget("server", ("--key", "${IN_AN_ARGUMENT}"), ("AMBIENT", "MISSING"))

    assert given_to(reach(target, Given({"GIVEN": "here"}))) == {
        "GIVEN": "here",
        "AMBIENT": "from-outside",
        "IN_AN_ARGUMENT": "also-from-outside",
    }


def test_what_a_client_filled_in_is_given_too() -> None:
    """What may be stored has the placeholder, and what is started the value."""
    stored = StdioTarget("server", ("--url=http://h/${env:PATH_PART}/x", "same", "fixed"))
    started = StdioTarget("server", ("--url=http://h/s3cret/x", "same", "other"))

    assert given_to(Reachable(stored, launch=started)) == {"env:PATH_PART": "s3cret", "fixed": "other"}


def test_credentials_on_a_command_line_or_in_an_address_are_given() -> None:
    assert given_to(reach(StdioTarget("server", ("--token", "abc")), Given())) == {"--token": "abc"}
    assert given_to(reach(HttpTarget("https://h/?token=abc"), Given({}, {"X-Team": "blue"}))) == {
        "the parameter token in the URL": "abc",
        "X-Team": "blue",
    }
    assert given_to(reach(FileTarget("a.json"), Given())) == {}
