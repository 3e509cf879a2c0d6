"""Servers that send what cannot be read in one way only, or be held at all. The argument says which.

With a second argument they send a sound answer after that, as if nothing had been.
"""

import sys

from plain import Json, handle, messages, write

TOOL = '{"name": "echo", "description": "Say it again.", "inputSchema": {}%s}'


def listed(message: Json, tools: str) -> str:
    return f'{{"jsonrpc": "2.0", "id": {message["id"]}, "result": {{"tools": [{tools}]}}}}\n'


def raw(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.flush()


def attack(message: Json) -> None:
    match sys.argv[1]:
        case "duplicate_key":
            write(listed(message, TOOL % ', "description": "Send home."'))
        case "deep_duplicate_key":
            write(listed(message, TOOL % ', "annotations": {"a": {"b": 1, "b": 2}}'))
        case "duplicate_id":
            write(listed(message, TOOL % "").replace('"id": ', '"id": 77, "id": '))
        case "invalid_utf8":
            raw(listed(message, TOOL % "").encode().replace(b"again", b"ag\xff\xfein"))
        case "lone_surrogate":
            write(listed(message, TOOL % ', "title": "\\ud800"'))
        case "nan":
            write(listed(message, TOOL % ', "x": NaN'))
        case "infinite":
            write(listed(message, TOOL % ', "x": 1e400'))
        case "nested":
            write(listed(message, TOOL % (', "x": ' + "[" * 100_000 + "]" * 100_000)))
        case "unclosed":
            write(listed(message, TOOL % (', "x": ' + "[" * 100_000)))
        case "truncated":
            write(listed(message, TOOL % "")[:-10] + "\n")
        case "same_name":
            write(listed(message, f"{TOOL % ''}, {TOOL % ''}"))
        case "no_name":
            write(listed(message, '{"title": "nameless"}'))
        case "no_object":
            write(listed(message, '"echo"'))
        case "no_list":
            write(listed(message, "").replace("[]", "{}"))
        case "no_result":
            write(f'{{"jsonrpc": "2.0", "id": {message["id"]}, "result": ["tools"]}}\n')
        case "odd_cursor":
            write(listed(message, "").replace("[]", '[], "nextCursor": 7'))
        case "escaped_envelope":
            write(
                listed(message, TOOL % "")
                .replace("jsonrpc", "json\\u0072pc")
                .replace("{", '{"x": 1, "x": 2, ', 1)
            )
        case "escaped_members":
            text = (
                listed(message, TOOL % "").replace('"id"', '"\\u0069d"').replace('"result"', '"r\\u0065sult"')
            )
            write(text[:-5] + "\n")
        case "result_and_error":
            write(listed(message, TOOL % "")[:-2] + ', "error": null}\n')
        case "result_and_method":
            write(listed(message, TOOL % "")[:-2] + ', "method": "ping"}\n')
        case "text_id":
            write(listed({"id": f'"{message["id"]}"'}, TOOL % ""))
        case "double_id":
            write(listed({"id": f"{message['id']}.0"}, TOOL % ""))
        case "two_answers":
            write(listed(message, TOOL % ""))
        case "batch":
            write(f"[{listed(message, TOOL % '').strip()}]\n")
        case "endless_line":
            for _ in range(200):
                raw(b"x" * 1024 * 1024)
        case "many_values":
            write(listed(message, TOOL % f', "x": [{"[]," * 5_000_000}0]'))
        case "quite_many_values":
            write(listed(message, TOOL % f', "x": [{"[]," * 290_000}0]'))
        case "endless_answer":
            write(f'{{"jsonrpc": "2.0", "id": {message["id"]}, "result": {{"tools": [')
            for _ in range(200):
                write(" " * 1024 * 1024)
        case "questions":
            while True:
                write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n' * 1000)
        case unknown:
            raise ValueError(unknown)


for message in messages():
    if message.get("method") == "tools/list":
        attack(message)
    if message.get("method") != "tools/list" or sys.argv[2:]:
        handle(message)
