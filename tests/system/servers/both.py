"""A stdio server that speaks both eras, with tools for what a gateway has to get right.

Each call is answered by a thread of its own, so that calls overlap as they do in a real server.
"""

import json
import os
import sys
import threading
import time
from typing import Any

Json = dict[str, Any]

VERSION = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}, "seconds": {"type": "number"}}}
NAMES = ("echo", "wait", "count", "ask", "news", "die", "flood", "whoami", "say")
TOOLS = [{"name": name, "description": f"Tool {name}.", "inputSchema": SCHEMA} for name in NAMES]
LOCK = threading.Lock()
ANSWERS: dict[str, threading.Event] = {}
RESULTS: dict[str, Json] = {}


def send(message: Json) -> None:
    with LOCK:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def text(message: Json, words: str) -> None:
    content = [{"type": "text", "text": words}]
    send({"id": message["id"], "result": {"resultType": "complete", "content": content}})


def ask_client(message: Json) -> str:
    number = f"server-{message['id']}"
    ANSWERS[number] = threading.Event()
    send({"id": number, "method": "roots/list"})
    ANSWERS[number].wait(10)
    return json.dumps(RESULTS.get(number))


def call(message: Json) -> None:
    params = message["params"]
    arguments = params.get("arguments", {})
    token = params.get("_meta", {}).get("progressToken")
    match params["name"]:
        case "echo":
            text(message, arguments["text"])
        case "wait":
            time.sleep(arguments["seconds"])
            text(message, arguments.get("text", "waited"))
        case "count":
            for step in range(3):
                time.sleep(arguments.get("seconds", 0))
                progress = {"progressToken": token, "progress": step, "message": arguments.get("text", "")}
                send({"method": "notifications/progress", "params": progress})
            text(message, "counted")
        case "ask":
            text(message, ask_client(message))
        case "news":
            send({"method": "notifications/tools/list_changed"})
            text(message, "told")
        case "say":
            send({"method": "notifications/message", "params": {"level": "info", "data": arguments["text"]}})
            text(message, "said")
        case "flood":
            for _ in range(600):
                send({"method": "notifications/message", "params": {"level": "info", "data": "x" * 50_000}})
            text(message, "flooded")
        case "whoami":
            text(message, str(os.getpid()))
        case "die":
            os._exit(3)
        case _:
            text(message, "no such tool")


def listen(message: Json) -> None:
    meta = {f"{PREFIX}subscriptionId": message["id"]}
    params = {"_meta": meta, "notifications": message["params"]["notifications"]}
    send({"method": "notifications/subscriptions/acknowledged", "params": params})
    time.sleep(0.1)
    send({"method": "notifications/tools/list_changed", "params": {"_meta": meta}})


def serve(message: Json) -> None:
    match message.get("method"):
        case None:
            RESULTS[message["id"]] = message.get("result", {})
            ANSWERS[message["id"]].set()
        case "initialize":
            capabilities = {"tools": {"listChanged": True}, "logging": {}}
            result = {
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": capabilities,
                "serverInfo": {"name": "both", "version": "1"},
            }
            send({"id": message["id"], "result": result})
        case "server/discover":
            result = {
                "resultType": "complete",
                "supportedVersions": [VERSION],
                "capabilities": {"tools": {"listChanged": True}, "logging": {}},
                "_meta": {f"{PREFIX}serverInfo": {"name": "both", "version": "1"}},
            }
            send({"id": message["id"], "result": result})
        case "tools/list":
            send(
                {
                    "id": message["id"],
                    "result": {"resultType": "complete", "tools": TOOLS, "ttlMs": 0, "cacheScope": "public"},
                }
            )
        case "tools/call":
            threading.Thread(target=call, args=(message,), daemon=True).start()
        case "subscriptions/listen":
            threading.Thread(target=listen, args=(message,), daemon=True).start()
        case _:
            if "id" in message:
                send({"id": message["id"], "error": {"code": -32601, "message": "Method not found"}})


for line in sys.stdin:
    received = json.loads(line)
    for each in received if isinstance(received, list) else [received]:
        serve(each)
