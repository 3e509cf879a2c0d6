"""Two versions side by side."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from avow.core.drift.model import DriftType
from avow.core.publication import ServerName
from avow.core.severity import Severity
from avow.core.snapshot import Volatile
from avow.registry.pages.comparing import Comparison, compared
from avow.registry.pages.remembering import Remembered
from avow.registry.store.opening import open_store
from registry_showcase import END, SIGNER, Release, add, releases, service_of
from small_server import READ, snapshot

NAME = "dev.example/files"


async def _compared(directory: Path, *published: Release, is_known: bool) -> Comparison:
    """The first and the last of these versions, from what was recorded or computed anew."""
    store = await open_store(f"sqlite:///{directory / 'registry.db'}", SIGNER)
    try:
        for place, release in enumerate(published):
            await add(store, NAME, release, END + timedelta(minutes=place))
        found = [await store.version(ServerName.read(NAME), each.version) for each in published]
        before, after = found[0], found[-1]
        assert before is not None
        assert after is not None
        shown = after if is_known else replace(after, predecessor=None)
        return await compared(await service_of(store), before, shown, Remembered())
    finally:
        await store.close()


def test_what_was_recorded_is_what_a_comparison_finds(tmp_path: Path) -> None:
    """Releases of a real server: reading the drift of neighbours again loses nothing."""
    pair = releases("context7-mcp")[3:5]

    recorded = asyncio.run(_compared(tmp_path, *pair, is_known=True))
    (tmp_path / "again").mkdir()
    computed = asyncio.run(_compared(tmp_path / "again", *pair, is_known=False))

    assert recorded == computed
    assert recorded.differences


def test_a_new_tool_is_shown_whole_and_a_lost_one_too(tmp_path: Path) -> None:
    other = {**READ, "name": "list_files"}
    published = (Release("1", snapshot([READ])), Release("2", snapshot([other])))

    found = asyncio.run(_compared(tmp_path, *published, is_known=True))

    by_type = {each.type: each for each in found.differences}
    added, removed = by_type[DriftType.TOOL_ADDED].places[0], by_type[DriftType.TOOL_REMOVED].places[0]
    assert added.sides.old is None
    assert added.sides.new is not None
    assert any("inputSchema" in piece.text for piece in added.sides.new)
    assert removed.sides.new is None
    assert found.counts == {Severity.CRITICAL: 1, Severity.INFO: 1}


def test_smaller_changes_stand_behind_what_makes_a_difference_severe(tmp_path: Path) -> None:
    schema = {**READ["inputSchema"], "properties": {**READ["inputSchema"]["properties"], "all": {}}}
    changed = {**READ, "inputSchema": schema, "description": "Read a file of a project."}
    published = (Release("1", snapshot([READ])), Release("2", snapshot([changed])))

    [difference] = asyncio.run(_compared(tmp_path, *published, is_known=False)).differences

    assert [place.path for place in difference.places] == ["/inputSchema/properties/all"]
    assert [place.path for place in difference.smaller] == ["/description"]
    assert difference.smaller[0].sides.is_text


def test_a_change_that_many_tools_share_is_told_once(tmp_path: Path) -> None:
    def server(version: str, **more: object) -> Release:
        return Release(
            version, snapshot([{**READ, "name": f"read_{number:02}", **more} for number in range(60)])
        )

    found = asyncio.run(_compared(tmp_path, server("1"), server("2", _meta={"new": 1}), is_known=True))

    [difference] = found.differences
    assert (len(difference.names), difference.more_names) == (40, 20)


def test_what_is_volatile_is_compared_without_its_value(tmp_path: Path) -> None:
    """Whoever looked twice saw another default each time; the next publisher did not, and says more."""
    first, later = [
        {
            "name": "forecast",
            "description": words,
            "inputSchema": {"type": "object", "properties": {"day": {"type": "string", "default": default}}},
        }
        for words, default in (("Before.", None), ("Since then.", "2026-11-15"))
    ]
    place = Volatile("/tools/forecast/inputSchema/properties/day/default", "text: <date>")
    looked = replace(snapshot([first]), volatile=(place,))
    published = (Release("1", looked), Release("2", snapshot([READ])), Release("3", snapshot([later])))

    found = asyncio.run(_compared(tmp_path, *published, is_known=False))

    (changed,) = found.differences
    assert [place.path for place in (*changed.places, *changed.smaller)] == ["/description"]
