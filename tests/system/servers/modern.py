"""Servers of 2026-07-28, written by hand. The first argument says how they behave."""

import sys
import threading
import time

from plain import ADD, ECHO, Json, answer, handle, messages, refuse, send

MODE = sys.argv[1]
VERSION = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"
INFO = {f"{PREFIX}serverInfo": {"name": "modern", "version": "2"}}


GROWING = [ECHO]


def grow() -> None:
    GROWING.append(ADD)
    send({"method": "notifications/tools/list_changed"})


def discover(message: Json, **more: object) -> None:
    result: Json = {
        "resultType": "complete",
        "supportedVersions": [VERSION],
        "capabilities": {"tools": {}},
        "instructions": "Be kind.",
        "_meta": INFO,
    }
    answer(message, result | more)


def serve(message: Json) -> None:
    meta = message.get("params", {}).get("_meta", {})
    if meta.get(f"{PREFIX}protocolVersion") != VERSION or f"{PREFIX}clientCapabilities" not in meta:
        if "id" in message:
            refuse(message, -32022, "Unsupported protocol version", {"supported": [VERSION]})
        return
    match message["method"]:
        case "server/discover" if MODE == "choosy" and meta[f"{PREFIX}clientInfo"]["name"] != "claude-ai":
            refuse(message, -32603, "not for you")
        case "server/discover" if MODE == "growing":
            discover(message, capabilities={"tools": {"listChanged": True}})
        case "server/discover":
            discover(message)
        case "tools/list" if MODE == "growing":
            answer(message, {"tools": GROWING})
        case "subscriptions/listen" if message["params"]["notifications"] == {"toolsListChanged": True}:
            threading.Timer(0.05, grow).start()
        case "tools/list":
            known = MODE != "chameleon" or meta[f"{PREFIX}clientInfo"]["name"] == "claude-ai"
            tools = [ECHO, ADD] if known else [ECHO]
            answer(message, {"resultType": "complete", "tools": tools, "ttlMs": 0})
        case _:
            refuse(message)


def two_languages(message: Json) -> None:
    """Speaks both, and offers more to those who come with a handshake."""
    if "_meta" in message.get("params", {}):
        serve(message)
    elif MODE == "bilingual":
        handle(message)
    else:
        handle(message, [ECHO, ADD, {**ADD, "name": "only_after_a_handshake"}])


def both(message: Json) -> None:
    """Answers discovery late, and takes the handshake as well: then it speaks the older language."""
    if "_meta" in message.get("params", {}) and message["method"] == "server/discover":
        time.sleep(0.6)
        serve(message)
    elif "_meta" in message.get("params", {}) and message["method"] != "ping":
        serve(message)
    elif message["method"] == "initialize":
        handle(message, serverInfo={"name": "handshake", "version": "1"})


for message in messages():
    match MODE:
        case "plain" | "chameleon" | "growing" | "choosy":
            serve(message)
        case "bilingual" | "era":
            two_languages(message)
        case "leaving" if message["method"] == "initialize":
            sys.exit("no handshake here")
        case "leaving":
            serve(message)
        case "both":
            both(message)
        case "future":
            refuse(message, -32022, "Unsupported protocol version", {"supported": ["2031-01-01"]})
        case "former" if message["method"] == "server/discover":
            refuse(
                message, -32022, "Unsupported protocol version", {"supported": ["2031-01-01", "2025-06-18"]}
            )
        case "advertising" if message["method"] == "server/discover":
            answer(message, {"supportedVersions": ["2025-11-25"], "capabilities": {"tools": {}}})
        case "input" if message["method"] == "tools/list":
            answer(message, {"resultType": "input_required", "inputRequests": {}})
        case "input":
            serve(message)
        case _:
            handle(message)
