"""Programs that work, each in its own way: none of their habits may break or mislead a snapshot."""

import json
import os
import sys
from pathlib import Path

import pytest

from avow.core.snapshot import Era, Source
from avow.core.target import FileTarget, StdioTarget
from avow.errors import PeerProtocolError, ServerLaunchError
from avow.system.connect import ConnectOptions, observe, take_snapshot
from avow.system.snapshots import write_snapshot
from connect_helpers import look, sample, tools


def test_a_plain_server_is_seen_whole() -> None:
    """Everything that was negotiated and listed is in the snapshot, as it came."""
    snapshot = look("plain")

    assert snapshot.era is Era.LEGACY
    assert snapshot.protocol_version == "2025-11-25"
    assert snapshot.server == {"name": "plain", "version": "1"}
    assert snapshot.capabilities == {"tools": {}}
    assert snapshot.source is Source.FROZEN
    assert snapshot.complete
    assert snapshot.notes == ()
    assert [tool.definition for tool in snapshot.signature.tools.values()] == [
        {"name": "echo", "description": "Say it again.", "inputSchema": {"type": "object"}},
        {"name": "add", "description": "Add numbers.", "inputSchema": {"type": "object"}},
    ]


@pytest.mark.parametrize("habit", ["banner", "talkative", "stateless"])
def test_noise_changes_nothing(habit: str) -> None:
    """Banners, logs, JSON that is no protocol, a flooded log: the tools are the same."""
    assert look("odd", habit).signature == look("plain").signature


def test_a_server_may_ask_before_it_answers() -> None:
    """Its questions are answered: a ping politely, roots with none, the rest with a refusal."""
    answers = look("odd", "interrupting").signature.tools["echo"].definition["_meta"]["answers"]

    assert answers["ping"] == {}
    assert answers["roots/list"] == {"roots": []}
    assert answers["elicitation/create"] == {"action": "decline"}
    assert answers["sampling/createMessage"]["code"] == -1
    assert answers["unheard/of"]["code"] == -32601


def test_many_questions_at_once_are_no_problem() -> None:
    """Neither side waits for the other to read."""
    assert tools(look("odd", "pestering")) == ["echo", "add"]


def test_answers_are_matched_by_their_exact_id() -> None:
    """They come in reverse, among answers with ids that nobody could take for ours, and each comes twice."""
    snapshot = look("odd", "shuffled")

    assert [capability.name for capability in snapshot.signature] == [
        "echo",
        "greet",
        "note://one",
        "note://{n}",
    ]
    assert any("never made" in note for note in snapshot.notes)
    assert any("twice" in note for note in snapshot.notes)


def test_a_client_that_can_do_everything_is_offered_everything() -> None:
    """We declare roots, sampling and elicitation, so what depends on them shows."""
    assert tools(look("odd", "generous")) == ["echo", "with_roots", "with_sampling", "with_elicitation"]


def test_a_failing_list_is_an_error_in_the_servers_words() -> None:
    """It announced tools and cannot list them: that is not the same as having none."""
    with pytest.raises(
        PeerProtocolError, match=r"tools/list was refused: the data \[DATABASE\] is gone \(-32603\)"
    ):
        look("odd", "failing", env={"DATABASE": "notes"})


def test_the_environment_is_a_safe_minimum_and_what_was_promised(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Paths, language and proxies are passed on, credentials of ours are not."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "ours")
    monkeypatch.setenv("PROMISED", "from outside")
    monkeypatch.setenv("LC_TIME", "de_DE.UTF-8")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.invalid")
    target = StdioTarget(
        sys.executable,
        (str(Path(__file__).parent / "servers/odd.py"), "environment", "--key=${KEY}"),
        ("PROMISED",),
        str(tmp_path),
    )

    snapshot = take_snapshot(target, ConnectOptions(env={"KEY": "value", "EXTRA": "more"}))

    assert snapshot.instructions is not None
    seen = json.loads(snapshot.instructions)
    assert seen["env"]["PATH"] == os.environ["PATH"]
    assert seen["env"]["PROMISED"] == "from outside"
    assert seen["env"]["EXTRA"] == "more"
    assert seen["env"]["LC_TIME"] == "de_DE.UTF-8"
    assert seen["env"]["HTTPS_PROXY"] == "http://proxy.invalid"
    assert "AWS_SECRET_ACCESS_KEY" not in seen["env"]
    assert seen["argv"] == ["--key=value"]
    assert seen["cwd"] == str(tmp_path.resolve())
    assert snapshot.target == target


def test_a_server_that_repeats_a_secret_is_noted() -> None:
    """A snapshot is what the server shows, so all we can do is say what it would give away."""
    snapshot = look("odd", "environment", env={"TOKEN": "s3cr3t-token", "MODE": "fast"})

    assert snapshot.notes == (
        "the server repeats the value of TOKEN in what it shows; a lockfile would hold it",
    )


@pytest.mark.parametrize("target", [sample("plain", "${NOWHERE}"), sample("plain", env=("NOWHERE",))])
def test_a_variable_without_a_value_is_asked_for(target: StdioTarget) -> None:
    """A server started without its token would offer something else than the one that was approved."""
    with pytest.raises(ServerLaunchError, match="NOWHERE is not set") as caught:
        take_snapshot(target, ConnectOptions())

    assert caught.value.hint == "pass it with -e NOWHERE=..."


def test_progress_is_told() -> None:
    told: list[str] = []

    look("plain", on_progress=told.append)

    assert [text.split()[0] for text in told] == ["starting", "connected"]


def test_a_saved_snapshot_is_read_back(tmp_path: Path) -> None:
    """A file is a target like any other, and has nothing more to show the second time."""
    saved = look("plain")
    write_snapshot(tmp_path / "plain.json", saved)
    target = FileTarget(str(tmp_path / "plain.json"))

    assert take_snapshot(target, ConnectOptions()).signature.digest == saved.signature.digest
    assert observe(target, ConnectOptions(), thorough=True).others == ()


@pytest.mark.parametrize("place", ["result", "extension", "experimental"])
def test_the_configuration_schema_is_read_from_each_of_its_places(place: str) -> None:
    assert look("odd", "configured", place).configuration_schema == {"type": "object"}
