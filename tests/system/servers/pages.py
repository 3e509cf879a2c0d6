"""A server with long lists. The first argument says how it pages, the second how many tools it has."""

import sys

from plain import Json, answer, handle, messages

MODE, COUNT = sys.argv[1], int(sys.argv[2])
PAGE = 100


def tool(number: int) -> Json:
    return {"name": f"tool_{number}", "inputSchema": {"type": "object"}}


def page(cursor: str | None) -> Json:
    start = int(cursor or 0)
    tools = [tool(number) for number in range(start, min(start + PAGE, COUNT))]
    more = start + PAGE < COUNT
    match MODE:
        case "one":
            return {"tools": [tool(number) for number in range(COUNT)]}
        case "many":
            return {"tools": tools} | ({"nextCursor": str(start + PAGE)} if more else {})
        case "null":
            return {"tools": tools, "nextCursor": str(start + PAGE) if more else None}
        case "empty_cursor":
            return {"tools": tools, "nextCursor": str(start + PAGE) if more else ""}
        case "same_cursor":
            return {"tools": [tool(0)] if cursor is None else [], "nextCursor": "0"}
        case "same_page":
            return {"tools": [tool(0)], "nextCursor": str(start + 1)}
        case "nothing":
            return {"tools": [], "nextCursor": ""}
        case "behind_an_empty_cursor":
            pages: dict[str | None, Json] = {
                None: {"tools": [tool(0)], "nextCursor": ""},
                "": {"tools": [tool(0)], "nextCursor": "9"},
                "9": {"tools": [tool(9)]},
            }
            return pages[cursor]
        case "behind_a_circle":
            following = {None: "1", "1": "9"}.get(cursor)
            return {"tools": [tool(0 if following else 9)], "nextCursor": following}
        case "endless":
            return {
                "tools": [tool(number) for number in range(start, start + PAGE)],
                "nextCursor": str(start + PAGE),
            }
        case "overlapping":
            return {
                "tools": [tool(start // 2), {**tool(start + 1), "title": cursor or ""}],
                "nextCursor": str(start + 2),
            }
        case _:
            raise ValueError(MODE)


for message in messages():
    if message.get("method") == "tools/list":
        answer(message, page((message.get("params") or {}).get("cursor")))
    else:
        handle(message)
