"""Server-sent events: whole events out of any pieces, with what resuming needs."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avow.errors import PeerProtocolError
from avow.proxy.gateway.events import EventParser, ServerEvent

STREAM = (
    b": hello\r\n\r\n"
    b'event: message\r\nid: 1\r\nretry: 100\r\ndata: {"a":\r\ndata: 1}\r\n\r\n'
    b"id: 2\ndata\n\n"
    b"event: other\ndata: not for us\n\n"
    b"data:last\r\r"
)
WHOLE = [ServerEvent(b'{"a": 1}', b"1", b"100"), ServerEvent(b"", b"2"), ServerEvent(b"last")]


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_events_do_not_depend_on_how_they_were_cut(cuts: list[int]) -> None:
    parser = EventParser(1000)
    places = [0, *sorted(cuts), len(STREAM)]

    found = [each for start, end in pairwise(places) for each in parser.feed(STREAM[start:end])]

    assert found == WHOLE


def test_the_head_of_an_event_says_where_to_resume_and_when() -> None:
    assert WHOLE[0].head == b"id: 1\nretry: 100\n"
    assert WHOLE[2].head == b""


def test_an_id_with_a_null_and_a_pause_that_is_no_number_do_not_count() -> None:
    assert list(EventParser(100).feed(b"id: a\0b\nretry: soon\ndata: x\n\n")) == [ServerEvent(b"x")]


@pytest.mark.parametrize("piece", [b"data: " + b"x" * 40, b"data: xxxxxxxxxx\n" * 4, b"data:\n" * 6])
def test_an_event_beyond_the_limit_is_refused_before_it_is_whole(piece: bytes) -> None:
    with pytest.raises(PeerProtocolError, match="more than 30 bytes"):
        list(EventParser(30).feed(piece))
