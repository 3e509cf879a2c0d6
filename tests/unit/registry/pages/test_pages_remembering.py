"""Answers that never change are made once, while there is room for them."""

import asyncio

from avow.registry.pages.remembering import Remembered


def test_what_was_asked_longest_ago_is_forgotten_first() -> None:
    made: list[str] = []

    async def story() -> None:
        remembered: Remembered[str, str] = Remembered(most=10)

        async def ask(key: str, size: int = 4) -> str:
            async def make() -> tuple[str, int]:
                made.append(key)
                return key.upper(), size

            return await remembered.get(key, make)

        for key in ("a", "b", "a", "c", "a", "b"):
            assert await ask(key) == key.upper()
        assert made == ["a", "b", "c", "b"]
        assert await ask("large", 11) == "LARGE"
        assert await ask("b") == "B"

    asyncio.run(story())
    assert made[-2:] == ["large", "b"]


def test_two_who_ask_at_once_are_counted_once() -> None:
    async def story() -> None:
        remembered: Remembered[str, int] = Remembered(most=10)

        async def make() -> tuple[int, int]:
            await asyncio.sleep(0)
            return 7, 6

        assert await asyncio.gather(*(remembered.get("a", make) for _ in range(3))) == [7, 7, 7]

        async def never() -> tuple[int, int]:
            raise AssertionError("it is known")

        assert await remembered.get("a", never) == 7

    asyncio.run(story())
