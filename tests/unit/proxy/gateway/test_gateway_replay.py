"""Events that are kept for a client that comes back."""

from avow.proxy.gateway.replay import STANDALONE, Replay
from avow.proxy.gateway.stream import Piece


def test_what_came_after_an_event_on_its_stream_is_sent_again_and_nothing_else() -> None:
    replay = Replay()
    stream = replay.new_stream()
    replay.record(stream, b"first")
    replay.record(STANDALONE, b"elsewhere")
    replay.record(stream, b"second")

    assert replay.after(f"{stream}-1") == (stream, [Piece(b"second", b"id: 1-3\n")])
    assert replay.after(f"{stream}-3") == (stream, [])


def test_an_id_that_was_never_given_is_not_known() -> None:
    replay = Replay()
    replay.record(STANDALONE, b"one")

    for guess in ("", "0", "-", "0-", "a-b", "5-1", "0-9", "0-" + "9" * 40, "²-1"):
        assert replay.after(guess) is None


def test_memory_is_bounded_by_number_and_by_size() -> None:
    many, large = Replay(), Replay()
    for _ in range(2000):
        many.record(STANDALONE, b"x")
    for _ in range(100):
        large.record(STANDALONE, b"x" * 100_000)

    for replay, most in ((many, 512), (large, 20)):
        kept = replay.after("0-0")
        assert kept is not None
        assert len(kept[1]) == most
