"""The queue between whoever answers and the HTTP request that waits."""

import asyncio

from avow.proxy.gateway.stream import HIGH_MARK, Piece, Stream


def test_a_stream_is_over_when_every_request_on_it_is_answered() -> None:
    stream = Stream([1, "1"])

    stream.put(b"news")
    stream.answer(1, b"one")
    assert not stream.over
    stream.answer("1", b"two")

    assert stream.over
    assert stream.take() == [Piece(b"news"), Piece(b"one"), Piece(b"two")]


def test_an_error_about_no_request_in_particular_ends_it() -> None:
    stream = Stream([1])
    stream.answer(None, b"unreadable")

    assert stream.over


def test_nothing_is_kept_for_a_client_that_left() -> None:
    told: list[str] = []
    stream = Stream([1])
    stream.when_left = lambda: told.append("left")
    stream.when_done = lambda: told.append("done")

    stream.leave()
    stream.leave()
    stream.put(b"late")

    assert told == ["left", "done"]
    assert not stream.take()


def test_a_writer_is_told_when_the_reader_has_caught_up() -> None:
    told: list[str] = []
    stream = Stream([1])
    stream.put(b"x" * (HIGH_MARK + 1))
    assert stream.is_full

    stream.call_when_drained(lambda: told.append("drained"))
    stream.take()

    assert told == ["drained"]
    assert not stream.is_full


def test_waiting_ends_with_a_message_or_with_time() -> None:
    async def wait() -> tuple[bool, bool]:
        stream = Stream([1])
        early = await stream.wait(0.01)
        asyncio.get_running_loop().call_later(0.01, stream.put, b"news")
        return early, await stream.wait(5)

    assert asyncio.run(wait()) == (False, True)
