"""Requests of 2026-07-28 over HTTP whose headers say something else than their body."""

from collections.abc import Iterator
from typing import Final

import httpx

from avow.audit.live import rules
from avow.audit.live.talk import MODERN, envelope, shortened
from avow.audit.model import Finding
from avow.core.canonical import JsonObject, parse_json
from avow.core.target import HttpTarget
from avow.errors import MalformedInputError
from avow.system.connect.options import ConnectOptions

_LARGEST: Final = 1024 * 1024
_BODY: Final[JsonObject] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": envelope()}
_CONTRADICTIONS: Final = {
    "its protocol version": {"MCP-Protocol-Version": "2025-11-25", "Mcp-Method": "tools/list"},
    "its method": {"MCP-Protocol-Version": MODERN, "Mcp-Method": "prompts/list"},
}


def contradicting_header(target: HttpTarget, options: ConnectOptions) -> Iterator[Finding]:
    """Send each contradiction once; a server that answers it acted on one of two claims."""
    with httpx.Client(timeout=options.timeout, headers=dict(options.headers)) as client:
        for what, headers in _CONTRADICTIONS.items():
            try:
                result = _post(client, target.url, headers)
            except httpx.HTTPError:
                continue
            if result is not None:
                message = f"answers a request whose header contradicts {what}"
                evidence = [
                    {"client": {"headers": dict(headers), "body": _BODY}},
                    {"server": shortened(result)},
                ]
                yield rules.BAD_VERSION_META.finding(message, evidence=evidence)


def _post(client: httpx.Client, url: str, headers: dict[str, str]) -> JsonObject | None:
    """The result, if there is one; an error, a redirect or anything else is a refusal."""
    accept = {"Accept": "application/json, text/event-stream", **headers}
    with client.stream("POST", url, json=_BODY, headers=accept) as response:
        if response.status_code != httpx.codes.OK:
            return None
        data = b""
        for chunk in response.iter_bytes():
            data += chunk
            if len(data) > _LARGEST or (b"\n\n" in data and data.lstrip().startswith((b"event:", b"data:"))):
                break
    return _result(data)


def _result(data: bytes) -> JsonObject | None:
    lines = [line.removeprefix(b"data:").strip() for line in data.splitlines() if line.startswith(b"data:")]
    for text in lines or [data]:
        try:
            message = parse_json(text)
        except MalformedInputError:
            continue
        if isinstance(message, dict) and isinstance(message.get("result"), dict):
            return message
    return None
