"""Failures as people and programs see them."""

import json

import click
import pytest

from avow.cli.failures import guarded
from avow.errors import UsageError

Output = pytest.CaptureFixture[str]


def fail(error: BaseException) -> int:
    raise error


def test_a_failure_is_a_message_and_a_hint(capsys: Output) -> None:
    """Both go to stderr; stdout stays clean for what was asked for."""
    assert guarded(lambda: fail(UsageError("no such thing", hint="try another")), ["check"]) == 2

    assert capsys.readouterr() == ("", "error: no such thing\nhint: try another\n")


@pytest.mark.parametrize("spelling", [["--format", "json"], ["--format=json"]])
def test_a_failure_is_a_document_when_json_was_asked_for(capsys: Output, spelling: list[str]) -> None:
    """One document on stdout and nothing else."""
    assert guarded(lambda: fail(UsageError("no such thing")), ["check", *spelling]) == 2

    captured = capsys.readouterr()
    assert json.loads(captured.out) == {"error": {"message": "no such thing", "hint": ""}}
    assert captured.err == ""


def test_what_follows_the_two_dashes_is_not_ours(capsys: Output) -> None:
    """A server may have a `--format json` of its own."""
    guarded(lambda: fail(UsageError("no")), ["inspect", "--", "server", "--format", "json"])

    assert capsys.readouterr().out == ""


def test_a_usage_error_of_the_toolkit_is_one_of_ours(capsys: Output) -> None:
    """An option that does not exist ends like every other failure."""
    assert guarded(lambda: fail(click.UsageError("No such option: --x")), []) == 2

    assert capsys.readouterr().err == "error: No such option: --x\nhint: see `avow --help`\n"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()])
def test_ctrl_c_is_quiet(capsys: Output, error: BaseException) -> None:
    """The person who pressed it knows."""
    assert guarded(lambda: fail(error), []) == 130

    assert capsys.readouterr() == ("", "")


def test_an_unforeseen_error_says_where_and_asks_for_a_report(capsys: Output) -> None:
    """Its own text may hold anything, so it is left out, and there is no traceback."""
    assert guarded(lambda: fail(ValueError("tok-123456")), []) == 2

    shown = capsys.readouterr().err
    assert "ValueError" in shown
    assert "report" in shown
    assert "tok-123456" not in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ["-e", "KEY=tok-123456"],
        ["--env=KEY=tok-123456"],
        ["-eKEY=tok-123456"],
        ["-e", "FROM_OUTSIDE"],
        ["-H", "Authorization: tok-123456"],
    ],
)
def test_a_traceback_shows_no_value_of_the_command_line(
    capsys: Output, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    """AVOW_DEBUG is for us; what the user passes to a server is not."""
    monkeypatch.setenv("AVOW_DEBUG", "1")
    monkeypatch.setenv("FROM_OUTSIDE", "tok-123456")

    guarded(lambda: fail(ValueError("bad: tok-123456")), arguments)

    shown = capsys.readouterr().err
    assert "Traceback" in shown
    assert "bad: ***" in shown
    assert "tok-123456" not in shown
