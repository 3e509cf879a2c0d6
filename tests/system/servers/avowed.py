"""The small declared server as a process: `avowed.py FRAMEWORK stdio` or `avowed.py FRAMEWORK http`.

Over HTTP it prints its port, and the bearer token `boss` is an administrator's, `guest` is not. The tool
`promote` makes `late_feature` available to everybody and says so.
"""

import sys
from pathlib import Path
from typing import Any

import mcp_types

sys.path.insert(0, str(Path(__file__).parents[2] / "interaction"))
from framework_process import construction, serve

from declaring.servers import server

PROMOTED: list[bool] = []


def make(framework: str, transport: str) -> Any:
    mcp, avowed = server(framework, construction(framework, transport))

    def named(name: str) -> Any:
        if framework != "lowlevel":
            return name
        return mcp_types.Tool(name=name, input_schema={"type": "object"})

    async def promote(*_: Any) -> Any:
        PROMOTED.append(True)
        await avowed.availability_changed("tool")
        return mcp_types.CallToolResult(content=[]) if framework == "lowlevel" else "done"

    async def simple() -> str:
        return str(await promote())

    function = promote if framework == "lowlevel" else simple
    avowed.possible_tool(named("promote"), available=lambda context: True)(function)
    avowed.possible_tool(named("late_feature"), available=lambda context: bool(PROMOTED))(function)
    return mcp


if __name__ == "__main__":
    serve(make)
