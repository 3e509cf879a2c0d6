"""Servers that declare their signature. The first argument says how honestly, the second in which era."""

import hashlib
import json
import sys

from plain import ADD, ECHO, Json, answer, handle, messages

MODE, ERA = sys.argv[1], sys.argv[2]


def digest(value: Json) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


tools = [ECHO, ADD]
if MODE == "leaves variants out":
    tools = [{**ECHO, "resolvedVariants": [{"annotations": {"readOnlyHint": True}}]}, ADD]
if MODE == "large":
    tools = [{**ADD, "name": f"tool_{number}"} for number in range(10_001)]
parts: Json = {"prompts": {}, "resourceTemplates": {}, "resources": {}}
true_digest = digest({**parts, "tools": {tool["name"]: digest(tool) for tool in tools}})
announced = "sha256:0" if MODE == "announces another" else true_digest
result: Json = {"tools": tools, "digest": true_digest, "complete": True}
match MODE:
    case "claims another":
        result["digest"] = "sha256:0"
    case "is none":
        result["tools"] = {}
    case "names twice":
        result["tools"] = [ECHO, ECHO]
    case "is incomplete":
        result |= {"complete": False, "incomplete": ["resources"]}
    case _:
        pass

for message in messages():
    match message.get("method"):
        case "server/discover" if ERA == "modern":
            capabilities: Json = {"tools": {}, "extensions": {"dev.avow/signature": {"digest": announced}}}
            answer(message, {"supportedVersions": ["2026-07-28"], "capabilities": capabilities})
        case "signature" if MODE != "hands out nothing":
            answer(message, result)
        case "tools/list":
            listed = {
                "lists more": [ECHO, {**ECHO, "name": "smuggled"}],
                "lists otherwise": [{**ECHO, "inputSchema": {"type": "object", "properties": {"path": {}}}}],
                "lists without end": [ECHO],
            }
            more = {"nextCursor": "again"} if MODE == "lists without end" else {}
            answer(message, {"tools": listed.get(MODE, [ECHO]), **more})
        case _:
            handle(message, capabilities={"tools": {}, "signature": {"digest": announced}})
