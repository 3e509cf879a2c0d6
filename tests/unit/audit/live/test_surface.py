"""Two looks at a server: what one shows more of, less of, or otherwise."""

from avow.audit.live.surface import Surface
from avow.core.canonical import JsonObject
from avow.core.capability import Kind


def surface(*tools: JsonObject, **capabilities: JsonObject) -> Surface:
    return Surface(capabilities, items={Kind.TOOL: {tool["name"]: tool for tool in tools}})


ECHO: JsonObject = {"name": "echo", "inputSchema": {"properties": {"at": {"default": "10:00"}}}}
LATER: JsonObject = {"name": "echo", "inputSchema": {"properties": {"at": {"default": "10:01"}}}}
OTHER: JsonObject = {"name": "echo", "inputSchema": {"properties": {"at": {"type": "string"}}}}
ADD: JsonObject = {"name": "add"}


def test_a_look_is_like_itself() -> None:
    assert surface(ECHO, tools={}).differences(surface(ECHO, tools={})) == []


def test_the_time_in_a_default_is_no_difference() -> None:
    assert surface(ECHO).differences(surface(LATER)) == []


def test_more_fewer_and_other_tools() -> None:
    assert [str(one) for one in surface(ECHO).differences(surface(ECHO, ADD))] == ["lists 1 more tools: add"]
    (fewer,) = surface(ECHO, ADD).differences(surface(ECHO))
    assert (str(fewer), fewer.is_growth) == ("lists 1 fewer tools: add", False)
    (other,) = surface(ECHO).differences(surface(OTHER))
    assert (str(other), other.is_growth) == ("defines 1 tools in another way: echo", True)


def test_a_member_that_says_no_is_not_declared() -> None:
    silent = surface(tools={"listChanged": False})

    assert surface(tools={}).differences(silent) == []
    assert [str(one) for one in silent.differences(surface(tools={"listChanged": True}))] == [
        "declares tools.listChanged"
    ]


def test_what_changes_by_itself_is_ignored_where_it_is_known_to() -> None:
    first, again = surface(ECHO), surface(ECHO, ADD)

    assert first.volatile(again) == {(Kind.TOOL, "add")}
    assert first.differences(again, first.volatile(again)) == []


def test_a_name_cannot_take_over_the_terminal() -> None:
    (found,) = surface().differences(surface({"name": "\x1b[2J" + "x" * 500}))

    assert "\x1b" not in str(found)
    assert len(str(found)) < 200
