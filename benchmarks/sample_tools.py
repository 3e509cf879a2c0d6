"""Tools as real servers declare them, made up from a seed: the same bytes on every machine.

About 1.6 kB and 48 JSON values a tool, where a sample of public servers has 1.7 kB and 56; as there, one
description in twelve has characters beyond ASCII, one in fifty an emoji, and one tool in forty a double.
"""

import json
import random
import re
import subprocess
import sys

from avow.core.canonical import JsonObject, JsonValue

WORDS = re.findall(
    r"\w+",
    "account action add all and append archive array branch by calendar channel code column commit create "
    "current customer data date default delete directory document each email event existing field file "
    "filter for format from given group id if in index instead issue item key label limit list message "
    "metadata must name new number object of only optional or order page path project property query read "
    "record repository request result return returned row schema search section server set should sort "
    "start status string table task text that the time title to token type unique update url use user "
    "value version when which with ",
)
BEYOND_ASCII = ("→ siehe „Übersicht“", "naïve café", "— e.g. 例", "10 µs")
EMOJI = ("⚠\ufe0f 🚨 Important:", "✅ 🔍 Find", "📁 Files")


def bytes_of_a_server(count: int, *, ordinary: bool = False, small: bool = False) -> bytes:
    """`count` tools as JSON; `ordinary` without doubles and what is beyond ASCII, `small` with few arguments.

    They come from another process, as those of a real server do: what is left in the memory of a process
    that made them up slows down whoever reads them there.
    """
    options = [name for name, wanted in (("ordinary", ordinary), ("small", small)) if wanted]
    command = [sys.executable, __file__, str(count), *options]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout


def make_tools(count: int, *, ordinary: bool, small: bool) -> list[JsonObject]:
    """The same tools for the same arguments."""
    chance = random.Random(8785)
    tools = [_small_tool(chance, number) if small else _tool(chance, number) for number in range(count)]
    if not ordinary:
        for tool in tools:
            _make_unusual(chance, tool)
    return tools


def _small_tool(chance: random.Random, number: int) -> JsonObject:
    return {
        "name": f"{chance.choice(WORDS)}_{chance.choice(WORDS)}_{number}",
        "description": _text(chance, 4, 10),
        "inputSchema": _object_schema(chance, 1, depth=2),
    }


def _tool(chance: random.Random, number: int) -> JsonObject:
    tool: JsonObject = {
        "name": f"{chance.choice(WORDS)}_{chance.choice(WORDS)}_{number}",
        "description": _text(chance, 10, 90),
        "inputSchema": _object_schema(chance, chance.randint(1, 12), depth=0),
    }
    if chance.random() < 0.4:
        tool["title"] = _text(chance, 2, 4)
    if chance.random() < 0.5:
        tool["annotations"] = {
            "readOnlyHint": chance.random() < 0.5,
            "destructiveHint": chance.random() < 0.3,
            "openWorldHint": True,
        }
    if chance.random() < 0.2:
        tool["outputSchema"] = _object_schema(chance, chance.randint(1, 5), depth=1)
    return tool


def _make_unusual(chance: random.Random, tool: JsonObject) -> None:
    if chance.random() < 1 / 12:
        tool["description"] += " " + chance.choice(BEYOND_ASCII)
    if chance.random() < 1 / 50:
        tool["description"] = chance.choice(EMOJI) + " " + tool["description"]
    if chance.random() < 1 / 40:
        properties = tool["inputSchema"]["properties"]
        properties["threshold"] = {"type": "number", "minimum": 0.0, "maximum": 1.0, "default": 0.75}


def _object_schema(chance: random.Random, size: int, depth: int) -> JsonObject:
    properties = {f"{chance.choice(WORDS)}_{number}": _property(chance, depth) for number in range(size)}
    schema: JsonObject = {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if chance.random() < 0.4],
    }
    if depth == 0 and chance.random() < 0.5:
        schema["additionalProperties"] = False
        schema["$schema"] = "http://json-schema.org/draft-07/schema#"
    return schema


def _property(chance: random.Random, depth: int) -> JsonObject:
    described: JsonObject = {"description": _text(chance, 3, 21)}
    choice = chance.random()
    if choice < 0.55:
        return {"type": "string", **described}
    if choice < 0.65:
        return {"type": "string", "enum": [chance.choice(WORDS) for _ in range(4)], **described}
    if choice < 0.75:
        return {"type": "integer", "minimum": 1, "default": chance.randint(1, 100), **described}
    if choice < 0.82:
        return {"type": "boolean", "default": False, **described}
    if choice < 0.9:
        nullable: list[JsonValue] = [{"type": "string"}, {"type": "null"}]
        return {"anyOf": nullable, "default": None, **described}
    if choice < 0.96 or depth > 1:
        return {"type": "array", "items": {"type": "string"}, **described}
    return {**_object_schema(chance, chance.randint(1, 4), depth + 1), **described}


def _text(chance: random.Random, shortest: int, longest: int) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(shortest, longest))).capitalize() + "."


if __name__ == "__main__":
    made = make_tools(int(sys.argv[1]), ordinary="ordinary" in sys.argv, small="small" in sys.argv)
    print(json.dumps(made, separators=(",", ":"), ensure_ascii=False))
