"""Looking more than once: servers that treat clients by their name, or answer differently the second time."""

import time
from pathlib import Path

import pytest

from avow.core.snapshot import Era
from avow.errors import PeerProtocolError, ServerLaunchError
from avow.system.connect import ConnectOptions, Look, MalformedAnswerError, Observation, observe
from connect_helpers import sample, tools


def seen(script: str, *arguments: str, thorough: bool = False) -> Observation:
    return observe(sample(script, *arguments), ConnectOptions(timeout=10.0), thorough=thorough)


def different(observation: Observation) -> list[str]:
    """Under which circumstances something else was seen than at first."""
    first = observation.first.signature.digest
    return [look.seen for look in observation.others if look.snapshot.signature.digest != first]


def circumstances(observation: Observation) -> list[str]:
    return [look.seen.removeprefix("by a client named ") for look in observation.others]


def test_an_honest_server_shows_the_same_every_time() -> None:
    """Asked again, and under other names; all looks are handed out for the caller to compare."""
    observation = seen("plain")

    assert observation.others == (
        Look("on a second tools/list in the same session", observation.first),
        Look("by a client named cursor-vscode", observation.first),
        Look("by a client named avow", observation.first),
    )


def test_a_thorough_look_takes_more_names_and_a_second_process() -> None:
    _, *known, unheard_of, last = circumstances(seen("plain", thorough=True))

    assert known == ["cursor-vscode", "avow", "claude-code", "Visual Studio Code"]
    assert len(unheard_of) == 10
    assert last == "in a second session"


def test_a_list_that_changes_in_secret_is_seen() -> None:
    observation = seen("odd", "second_face")

    assert "on a second tools/list in the same session" in different(observation)
    assert observation.first.signature.tools["add"].definition["description"] == "Add numbers."


def test_a_list_that_changes_openly_is_not_held_against_the_server() -> None:
    assert different(seen("odd", "growing", "0")) == []


@pytest.mark.parametrize("name", ["cursor-vscode", "avow"])
def test_a_server_that_favours_one_client_is_seen(name: str) -> None:
    """Even a quick look meets it under both names; the one that got more is named."""
    observation = seen("odd", "chameleon", name)

    assert tools(observation.first) == ["echo"]
    assert different(observation) == [f"by a client named {name}"]


@pytest.mark.parametrize("name", ["cursor-vscode", "Visual Studio Code"])
def test_a_favour_that_comes_a_moment_later_is_seen(name: str) -> None:
    """A thorough look waits for it, and finds out whose it was even if others were met since."""
    observation = seen("odd", "late_chameleon", name, thorough=True)

    assert tools(observation.first) == ["echo"]
    assert different(observation) == [f"by a client named {name}"]


@pytest.mark.parametrize("how", ["refuse", "leave", "ignore"])
def test_a_server_that_opens_one_session_only_is_started_again(how: str, tmp_path: Path) -> None:
    """A quick look starts it once more, under the first of the other names."""
    observation = seen("odd", "faithful", how, str(tmp_path / "names"))

    assert circumstances(observation)[1:] == ["cursor-vscode"]
    assert different(observation) == []
    assert observation.first.notes == ()
    names = (tmp_path / "names").read_text().split()
    assert names == ["claude-ai", "cursor-vscode", "cursor-vscode"]


@pytest.mark.parametrize("script", ["forgetful", "generous"])
def test_what_only_a_second_handshake_does_is_not_held_against_the_server(script: str) -> None:
    """Tools that go away or come twice then: a fresh process under the same name shows that all is well."""
    observation = seen("odd", script)

    assert circumstances(observation)[1:] == ["cursor-vscode"]
    assert different(observation) == []


def test_a_server_cannot_tell_us_from_a_client() -> None:
    """We come under the name of a client, so even a quick look shows what that client would get."""
    assert tools(seen("odd", "chameleon", "claude-ai").first) == ["echo", "add"]


def test_a_modern_server_meets_every_name_in_one_process() -> None:
    observation = seen("modern", "chameleon")

    assert observation.first.era is Era.MODERN
    assert different(observation)[0] == "by a client named cursor-vscode"
    assert len(observation.others) == 3


def test_a_thorough_look_starts_a_modern_program_twice() -> None:
    """What it made up when it started would otherwise look like drift in every later check."""
    looks = seen("modern", "plain", thorough=True).others

    assert len(looks) == 7
    assert looks[-1].seen == "in a second session"


def test_a_thorough_look_takes_the_other_era_too() -> None:
    """The server speaks both, and shows the same in both but for what was negotiated."""
    observation = seen("modern", "bilingual", thorough=True)

    last = observation.others[-1]
    assert last.seen == "after an initialize handshake"
    assert last.other_era
    assert last.snapshot.era is Era.LEGACY
    assert last.snapshot.signature == observation.first.signature
    assert [look.seen for look in observation.others if look.other_era] == [last.seen]


def test_what_only_the_clients_of_the_other_era_get_is_seen() -> None:
    assert different(seen("modern", "era", thorough=True)) == ["after an initialize handshake"]


@pytest.mark.parametrize("mode", ["plain", "leaving"])
def test_a_server_of_one_era_may_decline_the_other(mode: str) -> None:
    observation = seen("modern", mode, thorough=True)

    assert not any(look.other_era for look in observation.others)
    assert observation.first.notes == ()


@pytest.mark.parametrize("habit", ["probed", "unprobed"])
@pytest.mark.parametrize("era", [None, Era.LEGACY])
def test_a_thorough_look_begins_in_both_orders(habit: str, era: Era | None) -> None:
    """A server that knows a scanner by its first question shows it, whichever question came first."""
    options = ConnectOptions(timeout=10.0, era=era)
    observation = observe(sample("odd", habit), options, thorough=True)

    assert different(observation) == ["in a second session"]


def test_a_second_session_that_begins_with_discovery_may_be_started_twice() -> None:
    """The server leaves at questions that it does not know."""
    options = ConnectOptions(timeout=10.0, era=Era.LEGACY)
    observation = observe(sample("odd", "strict"), options, thorough=True)

    assert observation.others[-1].seen == "in a second session"
    assert different(observation) == []


def test_a_clock_in_a_default_shows_as_a_difference() -> None:
    """Whoever compares the looks finds which value is volatile."""
    assert len(different(seen("odd", "clock"))) == 3


def test_a_server_that_can_run_only_once_is_looked_at_in_turn(tmp_path: Path) -> None:
    """Each session has ended before the next begins."""
    observation = seen("odd", "exclusive", str(tmp_path / "lock"), thorough=True)

    assert len(observation.others) == 7
    assert observation.first.notes == ()


def test_two_at_once_are_tried_again_one_by_one(tmp_path: Path) -> None:
    """It opens one session only, so it is started for each name, and has locked its database then."""
    observation = seen("odd", "exclusive", str(tmp_path / "lock"), "faithful", thorough=True)

    names = circumstances(observation)[1:]
    assert names[:4] == ["cursor-vscode", "avow", "claude-code", "Visual Studio Code"]
    assert len(names) == 5
    assert different(observation) == []
    assert observation.first.notes == ()


def test_a_thorough_look_at_a_server_for_one_session_does_not_take_for_ever() -> None:
    """It takes a while to start: five further sessions take three times as long as one, not five times."""
    begin = time.monotonic()
    seen("odd", "slow", "0.4")
    quick = time.monotonic() - begin
    begin = time.monotonic()
    observation = seen("odd", "slow", "0.4", thorough=True)

    assert len(observation.others) == 6
    assert time.monotonic() - begin < quick + 3.5 * 0.4


@pytest.mark.parametrize("thorough", [False, True])
def test_a_look_that_fails_is_a_failure_to_look(thorough: bool) -> None:
    """What was not seen under another name is not the same as no difference."""
    expected = r"a further look, by a client named .*, failed: (.|\n)*only for Claude"
    with pytest.raises(ServerLaunchError, match=expected):
        seen("once", thorough=thorough)


def test_an_unreadable_answer_to_another_client_is_an_error() -> None:
    """What cannot be read for one client is not made good by what another one saw."""
    with pytest.raises(MalformedAnswerError):
        seen("twofaced")


def test_a_server_that_does_not_survive_a_second_question_is_no_good() -> None:
    with pytest.raises(ServerLaunchError, match=r"lists a second time: (.|\n)*enough"):
        seen("odd", "fragile")


def test_a_server_that_fails_once_is_asked_again(tmp_path: Path) -> None:
    observation = seen("odd", "hurried", str(tmp_path / "log"))

    assert different(observation) == []
    assert observation.first.notes == ()


def test_a_modern_server_that_knows_only_one_client_is_refused() -> None:
    with pytest.raises(PeerProtocolError, match="only to some clients"):
        seen("modern", "choosy")
