"""Server-sent events: however the stream is cut into pieces, the same events come out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avow.errors import PeerProtocolError
from avow.system.connect.events import EventReader

STREAM = (
    b": comment\r\n\r\n"
    b"id: 7\ndata: one\n\n"
    b"event: message\rdata: two\rdata:three\r\r"
    b"event: other\ndata: hidden\n\n"
    b"data\n\n"
    b"data: \xc3\xa9\r\n\r\n"
    b"data: unfinished\n"
)
EVENTS = [b"one", b"two\nthree", "é".encode()]


@given(st.lists(st.integers(0, len(STREAM)), max_size=8))
def test_events_do_not_depend_on_how_they_arrive(cuts: list[int]) -> None:
    reader, start, events = EventReader(1000), 0, []
    for end in [*sorted(cuts), len(STREAM)]:
        events += reader.feed(STREAM[start:end])
        start = end

    assert events == EVENTS


@pytest.mark.parametrize("piece", [b"data: 123456789\n", b"data: 1234567890", b"data\n"])
def test_an_event_without_an_end_is_refused(piece: bytes) -> None:
    reader = EventReader(50)

    with pytest.raises(PeerProtocolError, match="an event has more than"):
        reader.feed(piece * 100)
