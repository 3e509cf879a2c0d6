"""How often a store is asked whether it is well."""

import asyncio
from typing import cast

from avow.errors import StorageError
from avow.registry.health import Health
from avow.registry.store.interface import Store


class Asked:
    """A store that counts who asks, and is well or not."""

    def __init__(self) -> None:
        self.count = 0
        self.is_well = True

    async def check(self) -> None:
        self.count += 1
        await asyncio.sleep(0)
        if not self.is_well:
            raise StorageError("away")


def test_a_good_answer_is_remembered_and_a_bad_one_shared() -> None:
    async def story() -> None:
        asked, health = Asked(), Health()
        store = cast("Store", asked)
        for _ in range(5):
            await health.check(store)
        assert asked.count == 1

        asked.is_well, health = False, Health()
        answers = await asyncio.gather(*(health.check(store) for _ in range(5)), return_exceptions=True)
        assert [type(each) for each in answers] == [StorageError] * 5
        assert asked.count == 2

        asked.is_well = True
        await health.check(store)
        assert asked.count == 3

    asyncio.run(story())
