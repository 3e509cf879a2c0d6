"""Servers that declare what they could ever offer: believed when it can be proven, and held to it."""

import pytest

from avow.core.snapshot import Source
from avow.errors import PeerProtocolError
from avow.system.connect import MalformedAnswerError
from connect_helpers import look, tools


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_declared_signature_counts_more_than_the_lists(era: str) -> None:
    """The list shows one tool today; the signature has both."""
    snapshot = look("declaring", "honestly", era)

    assert snapshot.source is Source.DECLARED
    assert tools(snapshot) == ["echo", "add"]
    assert snapshot.complete
    assert [note for note in snapshot.notes if "name" not in note] == []


def test_a_signature_may_say_what_it_cannot_enumerate() -> None:
    snapshot = look("declaring", "is incomplete", "legacy")

    assert not snapshot.complete
    assert snapshot.notes == ("the server cannot enumerate its resources",)
    assert snapshot.extra == {"incomplete": ["resources"]}


def test_a_list_beyond_the_signature_is_noted() -> None:
    snapshot = look("declaring", "lists more", "legacy")

    assert tools(snapshot) == ["echo", "add"]
    assert snapshot.notes == ("tools/list shows smuggled, which the signature does not have",)


def test_a_signature_that_is_announced_and_not_handed_out_is_noted() -> None:
    snapshot = look("declaring", "hands out nothing", "legacy")

    assert snapshot.source is Source.FROZEN
    assert snapshot.notes == ("the server announces a signature but does not hand it out",)


@pytest.mark.parametrize("mode", ["claims another", "announces another", "is none", "names twice"])
def test_a_signature_that_cannot_be_proven_is_refused(mode: str) -> None:
    with pytest.raises(MalformedAnswerError):
        look("declaring", mode, "legacy")


def test_a_signature_that_is_too_large_is_refused() -> None:
    with pytest.raises(PeerProtocolError, match="larger than 4096 KiB or 10000 items"):
        look("declaring", "large", "legacy")
