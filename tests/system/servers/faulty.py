"""Servers that make it hard to look at them. The first argument says how."""

import json
import sys
import time
from pathlib import Path

from plain import Json, answer, handle, messages, welcome, write

MODE = sys.argv[1]


def only_once(marker: Path) -> None:
    """Be an ordinary server the first time, in either era, and say nothing ever after."""
    is_first = not marker.exists()
    marker.touch()
    for message in messages():
        if is_first:
            handle(message)


def one_at_a_time(lock: Path) -> None:
    """Leave at once where another one is running."""
    try:
        lock.touch(exist_ok=False)
    except FileExistsError:
        sys.exit("another one is running")
    try:
        for message in messages():
            handle(message)
    finally:
        lock.unlink()


def flood() -> None:
    note = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x" * 1000}})
    while True:
        write((note + "\n") * 1000)


def flood_with_questions() -> None:
    for message in messages():
        handle(message)
        for number in range(10_000 if "id" in message else 0):
            write(json.dumps({"jsonrpc": "2.0", "id": number, "method": "roots/list"}) + "\n")


def garble(message: Json) -> None:
    text = json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": {}})
    write(text[:-1] + ', "id": 1, "id": 2}\n{"jsonrpc": "2.0", \n[]\n\x00\n')


match MODE:
    case "silent":
        for _ in messages():
            pass
    case "deaf":
        time.sleep(600)
    case "leaves":
        sys.exit("no API key\n")
    case "stays":
        for _message in messages():
            handle(_message)
        time.sleep(600)
    case "once":
        only_once(Path(sys.argv[2]))
    case "lock":
        one_at_a_time(Path(sys.argv[2]))
    case "flood":
        flood()
    case "questions":
        flood_with_questions()
    case "garbled":
        for _message in messages():
            garble(_message)
    case "endless":
        while True:
            write("x" * 1_000_000)
    case "listless":
        for _message in messages():
            if _message.get("method") == "initialize":
                welcome(_message)
            elif _message.get("method") == "ping":
                answer(_message, {})
    case "refusing":
        for _message in messages():
            if "id" in _message:
                error = {"code": -32001, "message": "come back with a licence"}
                write(json.dumps({"jsonrpc": "2.0", "id": _message["id"], "error": error}) + "\n")
    case _:
        sys.exit("no such fault")
