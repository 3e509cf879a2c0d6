"""`avow configure` on a real terminal, as a person uses it: asked, corrected, tried, and kept or not."""

import json
import sys
from pathlib import Path

import pytest

from configure_helpers import CLONE, FILES, GITHUB, OTHER_TOKEN, TOKEN, Desk, variable

GO = "keep them if it works? [Y/n] "


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_token_is_asked_for_unseen_corrected_tried_and_kept(desk: Desk) -> None:
    desk.serve(GITHUB, accepts={"GITHUB_TOKEN": TOKEN})

    with desk.terminal() as terminal:
        terminal.answer("value (not shown): ", "hunter2-not-a-token")
        terminal.see("GITHUB_TOKEN must match the pattern ^ghp_[a-zA-Z0-9]{36}$")
        terminal.answer("value (not shown): ", TOKEN)
        terminal.answer(GO, "")
        terminal.see("it works: 1 tool")
        assert terminal.end() == 0

    assert "****6789" in terminal.screen
    assert "secrets.json" in terminal.screen
    assert "hunter2" not in terminal.said
    assert TOKEN not in terminal.said
    assert desk.where()["GITHUB_TOKEN"] == ("store", "****6789")


def test_rejected_credentials_are_asked_for_again_and_the_rest_is_kept(desk: Desk) -> None:
    desk.serve({**GITHUB, **FILES}, accepts={"GITHUB_TOKEN": TOKEN})

    with desk.terminal() as terminal:
        terminal.answer("value (not shown): ", OTHER_TOKEN)
        terminal.answer("value: ", "/tmp")
        terminal.answer("and (Enter: done): ", "")
        terminal.answer(GO, "")
        terminal.see("rejected credentials")
        terminal.see("[GITHUB_TOKEN]: 401 Unauthorized")
        terminal.answer("Answer again? [Y/n] ", "")
        terminal.answer("value (not shown) [****wxyz]: ", TOKEN)
        terminal.see("****6789")
        terminal.answer(GO, "y")
        assert terminal.end() == 0

    assert desk.where()["allowed-directory"] == ("store", "/tmp")
    assert OTHER_TOKEN not in terminal.said


def test_who_gives_up_after_a_failure_has_written_nothing(desk: Desk) -> None:
    desk.serve(GITHUB, dies=["GITHUB_TOKEN"])

    with desk.terminal() as terminal:
        terminal.answer("value (not shown): ", TOKEN)
        terminal.answer(GO, "")
        terminal.see("it cannot start")
        terminal.answer("Answer again? [Y/n] ", "n")
        terminal.see("Nothing was written.")
        assert terminal.end() == 1

    assert desk.files() == {}


@pytest.mark.parametrize("keys", ["n\r", "\x03", "\x04"], ids=["no", "Ctrl-C", "Ctrl-D"])
def test_nothing_is_written_without_a_yes(desk: Desk, keys: str) -> None:
    desk.serve(GITHUB)

    with desk.terminal() as terminal:
        terminal.answer("value (not shown): ", TOKEN)
        terminal.see(GO)
        terminal.press(keys)
        assert terminal.end() == (1 if keys == "n\r" else 130)

    assert desk.files() == {}


def test_ctrl_c_while_a_secret_is_typed_writes_nothing(desk: Desk) -> None:
    desk.serve(GITHUB)

    with desk.terminal() as terminal:
        terminal.see("value (not shown): ")
        terminal.press("ghp_half\x03")
        assert terminal.end() == 130

    assert desk.files() == {}


def test_required_first_then_the_optional_ones_if_wanted(desk: Desk) -> None:
    desk.serve(CLONE)

    with desk.terminal() as terminal:
        terminal.see("source-directory")
        terminal.answer("value: ", "/tmp")
        terminal.see("destination-directory")
        terminal.answer("value: ", "/var/tmp")
        terminal.see("1 optional value: ")
        terminal.answer("Configure it too? [y/N] ", "y")
        terminal.answer("value (y or n) [yes]: ", "maybe")
        terminal.see("must be true or false")
        terminal.answer("value (y or n) [yes]: ", "n")
        terminal.answer(GO, "")
        assert terminal.end() == 0

    assert desk.given["arguments"] == ["/tmp", "/var/tmp"]
    assert desk.given["environment"]["CLONE_PRESERVE_PERMISSIONS"] == "false"


def test_enter_means_what_stands_in_brackets_and_a_second_time_nothing_is_asked(desk: Desk) -> None:
    port = variable("PORT", type="number", required=True, default=8080)
    desk.serve({"environmentVariables": [port]})

    with desk.terminal() as terminal:
        terminal.answer("value [8080]: ", "")
        terminal.answer(GO, "")
        assert terminal.end() == 0
    before = desk.files()
    with desk.terminal() as terminal:
        terminal.answer("Everything is set. Change something? [y/N] ", "")
        assert terminal.end() == 0

    assert desk.where()["PORT"] == ("default", "8080")
    assert desk.files() == before


def test_a_second_run_asks_only_for_what_is_new(desk: Desk) -> None:
    desk.serve(GITHUB)
    with desk.terminal() as terminal:
        terminal.answer("value (not shown): ", TOKEN)
        terminal.answer(GO, "")
        assert terminal.end() == 0
    desk.serve({"environmentVariables": [*GITHUB["environmentVariables"], variable("TEAM", required=True)]})

    with desk.terminal() as terminal:
        terminal.answer("value: ", "core")
        terminal.answer(GO, "")
        assert terminal.end() == 0

    assert "not shown" not in terminal.said
    assert desk.where() == {"GITHUB_TOKEN": ("store", "****6789"), "TEAM": ("store", "core")}


def test_all_asks_again_with_values_shown_masked_and_enter_keeps_them(desk: Desk) -> None:
    desk.serve({"environmentVariables": [*GITHUB["environmentVariables"], variable("TEAM")]})
    assert desk.configure("--set-stdin", "GITHUB_TOKEN", "--set", "TEAM=core", stdin=TOKEN).returncode == 0
    before = desk.files()

    with desk.terminal("--all") as terminal:
        terminal.answer("value (not shown) [****6789]: ", "")
        terminal.answer("Configure it too? [y/N] ", "y")
        terminal.answer("value [core]: ", "")
        terminal.see("Nothing changed.")
        assert terminal.end() == 0

    assert desk.files() == before


def test_an_optional_value_can_be_taken_away(desk: Desk) -> None:
    desk.serve({"environmentVariables": [variable("TEAM")]})
    assert desk.configure("--set", "TEAM=core").returncode == 0

    with desk.terminal("--all") as terminal:
        terminal.answer("Configure it too? [y/N] ", "y")
        terminal.answer("value [core]: ", "-")
        terminal.see("taken away")
        terminal.answer(GO, "")
        assert terminal.end() == 0

    assert desk.where()["TEAM"] == (None, "")


def test_a_path_is_completed_and_made_whole(desk: Desk) -> None:
    desk.serve(CLONE)
    (desk.directory / "a source with blanks").mkdir()
    (desk.directory / "other").mkdir()

    with desk.terminal() as terminal:
        terminal.see("value: ")
        terminal.press("a sou\t")
        terminal.see("a source with blanks/")
        terminal.type("")
        terminal.see("destination-directory")
        terminal.answer("value: ", "~/clone")
        terminal.answer("Configure it too? [y/N] ", "")
        terminal.answer(GO, "")
        assert terminal.end() == 0
    assert "new; there is nothing at this path yet" in " ".join(terminal.screen.split())

    assert desk.given["arguments"] == [str(desk.directory / "a source with blanks"), str(desk.home / "clone")]


def test_several_values_are_asked_for_one_by_one(desk: Desk) -> None:
    desk.serve(FILES)

    with desk.terminal() as terminal:
        terminal.answer("value: ", "/tmp")
        terminal.answer("and (Enter: done): ", "/var/tmp")
        terminal.answer("and (Enter: done): ", "")
        terminal.answer(GO, "")
        assert terminal.end() == 0

    assert desk.given["arguments"] == ["/tmp", "/var/tmp"]


def test_a_value_of_the_environment_needs_a_yes_that_names_server_and_variable(desk: Desk) -> None:
    desk.serve(GITHUB, accepts={"GITHUB_TOKEN": TOKEN})
    desk.extra = {"GITHUB_TOKEN": TOKEN}

    with desk.terminal() as terminal:
        terminal.answer("Give demo the value of $GITHUB_TOKEN from your environment? [y/N] ", "y")
        terminal.answer(GO, "")
        assert terminal.end() == 0

    assert desk.given["environment"]["GITHUB_TOKEN"] == TOKEN
    assert desk.where()["GITHUB_TOKEN"] == ("environment", "****6789")
    assert not any(TOKEN.encode() in data for data in desk.files().values())


def test_a_hostile_declaration_is_shown_harmless(desk: Desk) -> None:
    """Escapes, reordering, a loader and a default that gives everything away: seen, and not obeyed."""
    evil = variable("NAME", required=True, description="\x1b[2J\x1b]0;owned\x07Type \u202eyour password")
    root = variable("ROOT", type="path", required=True, default="/")
    desk.serve({"environmentVariables": [evil, root, variable("LD_PRELOAD", default="/tmp/evil.so")]})

    with desk.terminal() as terminal:
        terminal.see("it asks for LD_PRELOAD")
        terminal.answer("value: ", "somebody")
        terminal.see("the server suggests /, which is not taken unless you type it")
        terminal.answer("value: ", "")
        terminal.see("this is needed")
        terminal.answer("value: ", "/tmp")
        terminal.answer(GO, "")
        assert terminal.end() == 0

    assert "\x1b[2J" not in terminal.said
    assert "\x1b]0;owned" not in terminal.said
    assert "\u202e" not in terminal.said
    assert "LD_PRELOAD" not in desk.given["environment"]
    assert desk.given["environment"]["ROOT"] == "/tmp"


def test_requirements_that_appear_one_at_a_time_are_followed(desk: Desk) -> None:
    """The server declares nothing and names the next variable only when it has the one before."""
    desk.serve(needs=["SLACK_TOKEN", "SLACK_TEAM"])

    with desk.terminal() as terminal:
        terminal.answer("value (not shown): ", "xoxb-1234567890abcdef")
        terminal.answer(GO, "")
        terminal.see("It also asks for SLACK_TEAM.")
        terminal.answer("Answer again? [Y/n] ", "")
        terminal.answer("value: ", "T1")
        terminal.answer(GO, "")
        assert terminal.end() == 0

    assert desk.given["environment"]["SLACK_TOKEN"] == "xoxb-1234567890abcdef"
    assert set(desk.where()) == {"SLACK_TOKEN", "SLACK_TEAM"}


def test_answers_that_do_not_fit_together_are_asked_for_again(desk: Desk) -> None:
    desk.serve(CLONE)
    rule = '[[servers.demo.constraints]]\ndiffer = ["source-directory", "destination-directory"]\n'
    (desk.directory / "avow.toml").write_text(rule, encoding="utf-8")

    with desk.terminal() as terminal:
        terminal.answer("value: ", "/tmp")
        terminal.answer("value: ", "/tmp")
        terminal.answer("Configure it too? [y/N] ", "")
        terminal.answer("Answer again? [Y/n] ", "")
        terminal.answer("value [/tmp]: ", "")
        terminal.answer("value [/tmp]: ", "/var/tmp")
        terminal.answer("Configure it too? [y/N] ", "")
        terminal.answer(GO, "")
        assert terminal.end() == 0

    assert desk.given["arguments"] == ["/tmp", "/var/tmp"]


def test_settings_that_changed_are_shown_and_what_is_stored_is_not_asked_for_again(desk: Desk) -> None:
    desk.serve({"environmentVariables": [*GITHUB["environmentVariables"], variable("GH_HOST")]})
    assert desk.configure("--set-stdin", "GITHUB_TOKEN", stdin=TOKEN).returncode == 0
    table = '[servers.demo.configuration]\nGH_HOST = "https://example.com"\n'
    (desk.directory / "avow.toml").write_text(table, encoding="utf-8")

    with desk.terminal() as terminal:
        terminal.see("GH_HOST = https://example.com")
        terminal.answer("May it get what is stored beside these? [y/N] ", "y")
        terminal.see("GH_HOST")
        terminal.answer("Configure it too? [y/N] ", "")
        assert terminal.end() == 0

    assert desk.where()["GITHUB_TOKEN"] == ("store", "****6789")


def test_one_of_several_ways_is_enough(desk: Desk) -> None:
    desk.serve(either=["WIKI_TOKEN", "WIKI_PASSWORD"])

    with desk.terminal() as terminal:
        terminal.see("There are several ways")
        terminal.answer("which (1 to 2): ", "3")
        terminal.see("please type a number from 1 to 2")
        terminal.answer("which (1 to 2): ", "2")
        terminal.answer("value (not shown): ", "correct horse battery")
        terminal.answer(GO, "")
        assert terminal.end() == 0

    assert desk.given["environment"]["WIKI_PASSWORD"] == "correct horse battery"
    assert "WIKI_TOKEN" not in desk.given["environment"]


def test_a_secret_in_a_client_configuration_is_moved_with_a_yes(desk: Desk) -> None:
    desk.serve(GITHUB, accepts={"GITHUB_TOKEN": TOKEN})
    config = desk.directory / "mcp.json"
    entry = {"command": sys.executable, "args": ["server.py"], "env": {"GITHUB_TOKEN": TOKEN}}
    config.write_text(json.dumps({"mcpServers": {"demo": entry}}), encoding="utf-8")
    words = [sys.executable, "-m", "avow", "configure", "demo", "--config", "mcp.json"]

    with desk.terminal(words=words) as terminal:
        terminal.answer("value (not shown) [****6789]: ", "")
        terminal.answer(GO, "")
        terminal.see("GITHUB_TOKEN of demo stands in clear in")
        terminal.answer("behind `avow run`? [y/N] ", "y")
        assert terminal.end() == 0

    assert TOKEN not in config.read_text(encoding="utf-8")
    assert desk.where()["GITHUB_TOKEN"] == ("store", "****6789")
