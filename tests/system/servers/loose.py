"""A stdio server of 2026-07-28, and of sessions, that speaks late, too deep, or does not listen."""

import json
import sys
import threading
import time
from typing import Any

Json = dict[str, Any]

PREFIX = "io.modelcontextprotocol/"
INFO = {"name": "loose", "version": "1"}
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}
NAMES = ("echo", "late", "wait", "deep", "stuck")
TOOLS = [{"name": name, "description": f"Tool {name}.", "inputSchema": SCHEMA} for name in NAMES]
DEEP = "[" * 5000 + "]" * 5000
WAITING: list[Json] = []


def write(*lines: str) -> None:
    sys.stdout.write("".join(line + "\n" for line in lines))
    sys.stdout.flush()


def line(message: Json, result: Json) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"resultType": "complete", **result}})


def text(message: Json, words: str) -> str:
    return line(message, {"content": [{"type": "text", "text": words}]})


def speak_late(words: str) -> None:
    time.sleep(0.3)
    params = {"level": "info", "data": words}
    write(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": params}))
    write(*(text(each, "waited") for each in WAITING))
    WAITING.clear()


def call(message: Json) -> None:
    words = message["params"].get("arguments", {}).get("text", "")
    match message["params"]["name"]:
        case "echo":
            write(text(message, words))
        case "late":
            write(text(message, "heard"))
            threading.Thread(target=speak_late, args=(words,)).start()
        case "wait":
            WAITING.append(message)
        case "deep":
            answer = (
                f'{{"jsonrpc": "2.0", "id": {json.dumps(message["id"])}, "result": {{"content": {DEEP}}}}}'
            )
            write(answer, *(text(each, "waited") for each in WAITING))
            WAITING.clear()
        case "stuck":
            time.sleep(600)
        case _:
            pass


def serve(message: Json) -> None:
    match message.get("method"):
        case "initialize":
            version = message["params"]["protocolVersion"]
            capabilities: Json = {"tools": {}, "logging": {}}
            result = {"protocolVersion": version, "capabilities": capabilities, "serverInfo": INFO}
            write(line(message, result))
        case "server/discover":
            result = {
                "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}, "logging": {}},
                "_meta": {f"{PREFIX}serverInfo": INFO},
            }
            write(line(message, result))
        case "tools/list":
            write(line(message, {"tools": TOOLS, "ttlMs": 0, "cacheScope": "public"}))
        case "tools/call":
            call(message)
        case "ping":
            write(line(message, {}))
        case _ if "id" in message:
            error = {"code": -32601, "message": "Method not found"}
            write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}))
        case _:
            pass


for received in sys.stdin:
    serve(json.loads(received))
