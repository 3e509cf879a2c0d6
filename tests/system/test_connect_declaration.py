"""Servers that declare what they could ever offer: believed when it can be proven, and held to it."""

import pytest

from avow.core.snapshot import Source
from avow.errors import PeerProtocolError
from avow.system.connect import ConnectOptions, MalformedAnswerError, Observation, observe
from connect_helpers import look, sample, tools


def seen(mode: str, era: str) -> Observation:
    return observe(sample("announcing", mode, era), ConnectOptions(timeout=10.0), thorough=False)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_declared_signature_counts_more_than_the_lists(era: str) -> None:
    """The list shows one tool today; the signature has both."""
    snapshot = look("announcing", "honestly", era)

    assert snapshot.source is Source.DECLARED
    assert tools(snapshot) == ["echo", "add"]
    assert snapshot.complete
    assert [note for note in snapshot.notes if "name" not in note] == []


def test_a_signature_may_say_what_it_cannot_enumerate() -> None:
    snapshot = look("announcing", "is incomplete", "legacy")

    assert not snapshot.complete
    assert snapshot.notes == ("the server cannot enumerate its resources",)
    assert snapshot.extra == {"incomplete": ["resources"]}


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize(
    ("mode", "shown", "note"),
    [
        ("lists more", ["echo", "add", "smuggled"], "smuggled, which the signature does not have"),
        ("lists otherwise", ["echo", "add"], "echo, otherwise than the signature has it"),
    ],
)
def test_lists_against_the_signature_are_a_look_of_their_own(
    mode: str, shown: list[str], note: str, era: str
) -> None:
    """The signature is what was promised; what a client would be given instead is there to be compared."""
    observation = seen(mode, era)

    assert tools(observation.first) == ["echo", "add"]
    assert f"tools/list shows {note}" in observation.first.notes
    listed = [look.snapshot for look in observation.others]
    assert observation.others[0].seen == "in its lists, against its own signature"
    assert {look.signature.digest for look in listed} == {listed[0].signature.digest}
    assert tools(listed[0]) == shown
    assert listed[0].signature.digest != observation.first.signature.digest


@pytest.mark.parametrize("mode", ["honestly", "leaves variants out"])
def test_lists_that_keep_to_the_signature_show_nothing_else(mode: str) -> None:
    """They may be shorter, and need not repeat the variants of a tool."""
    observation = seen(mode, "legacy")

    assert {look.snapshot.signature.digest for look in observation.others} == {
        observation.first.signature.digest
    }
    assert observation.first.notes == ()


def test_a_list_that_cannot_be_read_is_missing_whatever_was_declared() -> None:
    assert not look("announcing", "lists without end", "legacy").complete


def test_a_signature_that_is_announced_and_not_handed_out_is_noted() -> None:
    snapshot = look("announcing", "hands out nothing", "legacy")

    assert snapshot.source is Source.FROZEN
    assert snapshot.notes == ("the server announces a signature but does not hand it out",)


@pytest.mark.parametrize("mode", ["claims another", "announces another", "is none", "names twice"])
def test_a_signature_that_cannot_be_proven_is_refused(mode: str) -> None:
    with pytest.raises(MalformedAnswerError):
        look("announcing", mode, "legacy")


def test_a_signature_that_is_too_large_is_refused() -> None:
    with pytest.raises(PeerProtocolError, match="larger than 4096 KiB or 10000 items"):
        look("announcing", "large", "legacy")
