"""What a conversation came to, in a form in which two of them can be compared.

Left out is only what differs between any two conversations (the time of day, the id of a session, a sealed
state, in which order things arrive that nobody asked for), the progress of a call that its client has
cancelled, and the signature that the gate announces for every server. What no client acts on, the answer to
a cancelled call and the error by which an era is refused, is kept apart as `asides`.
"""

import base64
import binascii
import json
import re
from typing import Any

Json = dict[str, Any]

_TIME = re.compile(r"\b\d{1,2}:\d\d:\d\d( [AP]M)?\b")
_SESSION = re.compile(r"\bsession [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")


def account(talked: Json) -> Json:
    """The outcome of each step, and every message of the server."""
    sent = [each for way, each in talked["messages"] if way == "sent"]
    received = [each for way, each in talked["messages"] if way == "received"]
    asked = {each["id"]: each["method"] for each in sent if "method" in each and "id" in each}
    answered = {each["id"] for each in received if "method" not in each}
    told = {each["params"]["requestId"] for each in sent if each.get("method") == "notifications/cancelled"}
    # The newer TypeScript client sees to the answer of its probe before anybody can watch.
    abandoned = {each for each in asked.keys() - answered | told if asked[each] != "server/discover"}
    heard = [each for each in received if "method" in each and _token(each) not in abandoned]
    whole = {
        "facts": _without_signature(talked["facts"]),
        "steps": talked["steps"],
        "answers": [
            _answer(asked[each["id"]], each)
            for each in received
            if "method" not in each and each["id"] not in abandoned
        ],
        "asides": {
            "cancelled": [each for each in received if "method" not in each and each["id"] in told],
            "refused": [each for each in received if "error" in each and _is_probe(asked, each)],
        },
        "abandoned": sorted(asked[each] for each in abandoned),
        "progress": [each["params"] for each in heard if each["method"] == "notifications/progress"],
        "said": sorted(([each["method"], each.get("params")] for each in heard), key=json.dumps),
    }
    document: Json = _timeless(json.loads(json.dumps(whole)))
    return document


def _is_probe(asked: Json, message: Json) -> bool:
    return asked.get(message["id"]) == "server/discover"


def stripped(document: Any) -> Any:
    """The results in something that a client printed, without the signature and the time."""
    return _timeless({name: _without_signature(each) for name, each in document.items()})


def _token(message: Json) -> Any:
    return (message.get("params") or {}).get("progressToken")


def _answer(method: str, message: Json) -> list[Any]:
    if method == "server/discover" and "error" in message:
        return [method, "refused"]
    return [method, _without_signature(message.get("result", message.get("error")))]


def _without_signature(result: Any) -> Any:
    """An answer to `initialize` or `server/discover` without what the gate adds to it."""
    if not isinstance(result, dict) or not isinstance(result.get("capabilities"), dict):
        return result
    capabilities = {name: value for name, value in result["capabilities"].items() if name != "signature"}
    extensions = capabilities.get("extensions")
    if isinstance(extensions, dict) and "dev.avow/signature" in extensions:
        del capabilities["extensions"]
        rest = {name: value for name, value in extensions.items() if name != "dev.avow/signature"}
        if rest:
            capabilities["extensions"] = rest
    return {**result, "capabilities": capabilities}


def _timeless(value: Any) -> Any:
    match value:
        case str():
            return _SESSION.sub("session ID", _TIME.sub("TIME", value))
        case list():
            return [_timeless(each) for each in value]
        case dict():
            return {name: _timeless(_readable(name, each)) for name, each in value.items()}
        case _:
            return value


def _readable(name: str, value: Any) -> Any:
    """Text that was encoded may name the time as well; a sealed state differs each time it is sealed."""
    if name == "requestState":
        return "STATE"
    if name != "blob" or not isinstance(value, str):
        return value
    try:
        return base64.b64decode(value, validate=True).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return value


def differences(held: Any, direct: Any, at: str = "") -> list[str]:
    """Where two accounts differ, each with both values: a whole account is too much to read."""
    match held, direct:
        case dict(), dict():
            names = sorted({*held, *direct})
            return [
                line
                for name in names
                for line in differences(
                    held.get(name, "(absent)"), direct.get(name, "(absent)"), f"{at}/{name}"
                )
            ]
        case list(), list() if len(held) == len(direct):
            pairs = enumerate(zip(held, direct, strict=True))
            return [line for number, (a, b) in pairs for line in differences(a, b, f"{at}/{number}")]
        case list(), list():
            ours, theirs = [json.dumps(each) for each in held], [json.dumps(each) for each in direct]
            more = [f"{at}: also {each[:1000]}" for each in ours if each not in theirs]
            less = [f"{at}: without {each[:1000]}" for each in theirs if each not in ours]
            return more + less or [f"{at}: {len(held)} instead of {len(direct)}"]
        case _:
            pass
    # As JSON, since True equals 1 in Python.
    seen, wanted = json.dumps(held, ensure_ascii=False), json.dumps(direct, ensure_ascii=False)
    return [] if seen == wanted else [f"{at}: {seen[:1000]} instead of {wanted[:1000]}"]
