"""Digests and cursors as they are stored and handed out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avow.errors import MalformedInputError
from avow.registry.store.rows import bounded, cursor_of, digest_bytes, digest_text, read_cursor

NUMBERS = st.integers(0, 10**18 - 1)


@given(st.binary(min_size=32, max_size=32))
def test_a_digest_reads_back(data: bytes) -> None:
    assert digest_bytes(digest_text(data)) == data


@pytest.mark.parametrize(
    "text",
    ["", "sha256:", "sha1:" + "0" * 64, "sha256:" + "A" * 64, "sha256:" + " 0" * 32, "sha256:" + "0" * 66],
)
def test_what_is_no_digest_is_refused(text: str) -> None:
    with pytest.raises(MalformedInputError, match="is not a digest"):
        digest_bytes(text)


@given(st.lists(NUMBERS, min_size=1, max_size=2))
def test_a_cursor_reads_back(place: list[int]) -> None:
    assert read_cursor(cursor_of(*place), [0] * len(place)) == tuple(place)


@given(st.text(max_size=60))
def test_whatever_else_is_no_cursor(text: str) -> None:
    """Every cursor has one spelling; anything else is refused, with an error of ours."""
    try:
        (place,) = read_cursor(text, (0,))
    except MalformedInputError:
        return
    assert cursor_of(place) == text


def test_no_cursor_is_the_beginning() -> None:
    assert read_cursor(None, (7,)) == (7,)
    with pytest.raises(MalformedInputError, match="is not a cursor"):
        read_cursor(cursor_of(1, 2), (0,))


def test_texts_of_servers_are_short_and_can_be_stored() -> None:
    assert bounded("a\0b" * 10, 5) == "a\N{REPLACEMENT CHARACTER}ba\N{REPLACEMENT CHARACTER}"
    assert bounded(["no", "text"], 5) == ""
