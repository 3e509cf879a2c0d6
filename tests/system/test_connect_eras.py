"""Two eras of the protocol: each server is met in its own, and none is mistaken for the other."""

import pytest

from avow.core.snapshot import Era
from avow.errors import PeerProtocolError
from connect_helpers import look, tools


def test_a_modern_server_is_asked_without_a_handshake() -> None:
    """It answers `server/discover`, and every request carries its own envelope."""
    snapshot = look("modern", "plain")

    assert snapshot.era is Era.MODERN
    assert snapshot.protocol_version == "2026-07-28"
    assert snapshot.protocol_versions == ("2026-07-28",)
    assert snapshot.server == {"name": "modern", "version": "2"}
    assert snapshot.instructions == "Be kind."
    assert tools(snapshot) == ["echo", "add"]


@pytest.mark.parametrize("habit", ["silent", "strict", "stateless"])
def test_a_legacy_server_is_found_whatever_it_does_with_the_probe(habit: str) -> None:
    """It ignores the probe and the ping behind it, leaves at once, or answers lists before a handshake."""
    snapshot = look("odd", habit, timeout=3.0)

    assert snapshot.era is Era.LEGACY
    assert tools(snapshot) == ["echo", "add"]


def test_a_server_that_only_leaves_at_odd_requests_is_seen_in_full() -> None:
    """It even leaves when it is asked for lists that it never announced, which is worth a note."""
    assert look("odd", "strict").notes == (
        "the server left when it was asked for a list that it does not announce",
    )


def test_a_server_of_both_eras_that_hesitates_is_met_in_the_modern_one() -> None:
    """It answers the probe after we have offered the handshake; only a new connection is unmixed."""
    snapshot = look("modern", "both")

    assert snapshot.era is Era.MODERN
    assert snapshot.server["name"] == "modern"


@pytest.mark.parametrize(
    ("script", "mode", "version"),
    [
        ("odd", "older", "2024-11-05"),
        ("odd", "picky", "2025-03-26"),
        ("modern", "former", "2025-06-18"),
        ("modern", "advertising", "2025-11-25"),
    ],
)
def test_the_versions_that_a_server_names_are_taken_up(script: str, mode: str, version: str) -> None:
    """It counters our offer, refuses it and names another, or names older ones when it is probed."""
    snapshot = look(script, mode)

    assert snapshot.era is Era.LEGACY
    assert snapshot.protocol_version == version


def test_a_server_that_speaks_nothing_we_know_is_refused() -> None:
    with pytest.raises(PeerProtocolError, match=r"Unsupported protocol version \(-32022\)"):
        look("modern", "future")


def test_a_list_that_wants_input_first_is_no_list() -> None:
    with pytest.raises(PeerProtocolError, match="wants something else"):
        look("modern", "input")


def test_a_server_that_is_known_is_spoken_to_as_its_clients_do() -> None:
    """An older client asks for a handshake first, and gets what it gets."""
    assert tools(look("odd", "probed", era=Era.LEGACY)) == ["echo", "add"]
    assert tools(look("odd", "probed")) == ["echo"]


@pytest.mark.parametrize("known", Era)
@pytest.mark.parametrize(
    ("script", "mode", "era"), [("odd", "older", "legacy"), ("modern", "plain", "modern")]
)
def test_a_server_that_has_moved_to_the_other_era_is_met_there(
    script: str, mode: str, era: str, known: Era
) -> None:
    assert look(script, mode, era=known).era == era
