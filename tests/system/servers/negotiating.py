"""A server of both eras that refuses whatever it should, except for the flaws that its arguments name.

`python negotiating.py FLAW…` speaks over stdio; the tests serve the same over HTTP. It is written by hand, so
that each flaw is the only thing that is wrong with it.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final

Json = dict[str, Any]

VERSION: Final = "2026-07-28"
LEGACY: Final = ("2025-11-25", "2025-06-18")
OLDEST: Final = "2024-11-05"
PREFIX: Final = "io.modelcontextprotocol/"
ECHO: Final[Json] = {"name": "echo", "description": "Say it again.", "inputSchema": {"type": "object"}}
SECRET: Final[Json] = {**ECHO, "name": "secret"}
LISTS: Final = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
# Of a signature with the tool `echo` only, as section 3 of the format has it.
SIGNATURE: Final[Json] = {"tools": [ECHO], "complete": True}


class RefusedError(Exception):
    """What the server says instead of an answer."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message, "data": data}


# What a client says, and a server that gives more for it.
CLAIMS: Final[dict[str, Callable[[Json], bool]]] = {
    "extension": lambda client: "com.example/admin" in client.get("capabilities", {}).get("extensions", {}),
    "tasks": lambda client: "tasks" in client.get("capabilities", {}),
    "title": lambda client: "Admin" in client.get("clientInfo", {}).get("title", ""),
    "release": lambda client: client.get("clientInfo", {}).get("version", "") > "2",
}


class Server:
    """One session, or one process; `flaws` is what is wrong with it."""

    def __init__(self, flaws: Collection[str]) -> None:
        self.flaws = frozenset(flaws)
        self.phase = "awaiting_init"
        self.client: Json = {}
        self.looks = 0
        self.stuck: Json = {}

    def take(self, message: Json) -> Iterator[Json]:
        """Everything that the server says to a message."""
        if "method" not in message:
            return
        if "id" not in message:
            yield from self.notified(message["method"])
            return
        try:
            result = self.answer(message["method"], message.get("params") or {})
        except RefusedError as refused:
            yield {"jsonrpc": "2.0", "id": message["id"], "error": refused.error}
            return
        if message["method"] == "tools/call" and "samples" in self.flaws and "_meta" not in message["params"]:
            yield asking("sampling/createMessage")
        yield {"jsonrpc": "2.0", "id": message["id"], "result": result}

    def notified(self, method: str) -> Iterator[Json]:
        if method == "notifications/initialized" and (self.phase == "init_sent" or "blue" in self.flaws):
            self.phase = "active"
            if "asks" in self.flaws or ("polite" in self.flaws and "roots" in self.claimed()):
                yield asking("roots/list")

    def claimed(self) -> Json:
        return dict(self.client.get("capabilities", {}))

    def answer(self, method: str, params: Json) -> Json:
        meta = params.get("_meta") or {}
        is_modern = any(key.startswith(PREFIX) for key in meta) or self.phase == "stateless"
        if is_modern and "legacy" not in self.flaws and method not in ("initialize", "ping"):
            return self.stateless(method, params, meta)
        if method == "initialize":
            return self.initialize(params)
        if method == "ping":
            return {}
        if not self.is_active():
            raise RefusedError(-32600, f"not in this phase: {self.phase}")
        return self.serve(method, self.client, params)

    def is_active(self) -> bool:
        flaw = {"awaiting_init": "early", "init_sent": "eager"}.get(self.phase)
        return self.phase == "active" or flaw in self.flaws

    def initialize(self, params: Json) -> Json:
        if "modern" in self.flaws or self.phase == "stateless":
            raise RefusedError(-32022, "no handshake", {"supported": [VERSION]})
        if self.phase != "awaiting_init" and "again" not in self.flaws and self.phase != "refused":
            raise RefusedError(-32600, "initialized already")
        version = params["protocolVersion"]
        is_known = version in LEGACY or (version == OLDEST and self.flaws & {"old", "controls"})
        is_newer = "newer" in self.flaws and version >= LEGACY[-1]
        if not is_known and not is_newer and "echo" not in self.flaws:
            raise RefusedError(-32602, "Unsupported protocol version", {"supported": list(LEGACY)})
        self.phase, self.client = "init_sent", params
        return {
            "protocolVersion": version,
            "capabilities": self.capabilities(params),
            "serverInfo": {"name": "negotiating", "version": "1"},
        }

    def stateless(self, method: str, params: Json, meta: Json) -> Json:
        version = meta.get(f"{PREFIX}protocolVersion")
        if version is None and "noversion" not in self.flaws and not (not meta and "nometa" in self.flaws):
            raise RefusedError(-32602, "no version")
        if version not in (None, VERSION) and "anyversion" not in self.flaws:
            raise RefusedError(-32022, "Unsupported protocol version", {"supported": [VERSION]})
        if f"{PREFIX}clientCapabilities" not in meta and "nometa" not in self.flaws:
            raise RefusedError(-32602, "no capabilities")
        self.phase = "stateless"
        client = {
            "capabilities": meta.get(f"{PREFIX}clientCapabilities", {}),
            "clientInfo": meta.get(f"{PREFIX}clientInfo", {}),
        }
        if "sticky" in self.flaws:
            self.stuck = client if client["capabilities"] else self.stuck
            client = self.stuck or client
        if method == "server/discover":
            return {"supportedVersions": [VERSION], "capabilities": self.capabilities(client)}
        if method == "tools/call" and "samples" in self.flaws:
            wanted = {"one": {"method": "sampling/createMessage", "params": {}}}
            return {"resultType": "input_required", "inputRequests": wanted}
        return self.serve(method, client, params)

    def capabilities(self, client: Json) -> Json:
        found: Json = {"tools": {}}
        if self.flaws & {"missing", "empty"}:
            found["prompts"] = {}
        if "subscribe" in self.flaws:
            found["resources"] = {"subscribe": True}
        if "sampling" in self.flaws:
            found["sampling"] = {}
        if "outside" in self.flaws:
            found["signature"] = {}
        if "flag" in self.flaws and self.has_flag(client):
            found["experimental"] = {"advancedMode": {}}
        return found

    def has_flag(self, client: Json) -> bool:
        flags = client.get("capabilities", {}).get("experimental", {})
        return flags.get("advancedMode") is True

    def serve(self, method: str, client: Json, params: Json) -> Json:
        match method:
            case "tools/list":
                return {"tools": list(self.tools(client))}
            case "prompts/list" if "empty" in self.flaws:
                return {"prompts": []}
            case "resources/list" if "hidden" in self.flaws:
                return {"resources": [{"uri": "note://one", "name": "one"}]}
            case "resources/list" | "resources/templates/list" if "subscribe" in self.flaws:
                return {LISTS[method]: [{"uri": "note://1", "uriTemplate": "note://{n}", "name": "one"}]}
            case "signature" if "outside" in self.flaws:
                return SIGNATURE
            case "tools/call" if params.get("name") == "echo":
                return {"content": []}
            case _:
                raise RefusedError(-32601, "Method not found")

    def tools(self, client: Json) -> Iterator[Json]:
        flags = client.get("capabilities", {}).get("experimental", {})
        objects = flags.get("advancedMode")
        self.looks += 1
        if "controls" not in self.flaws or client.get("protocolVersion") != OLDEST:
            yield ECHO
        if "leak" in self.flaws:
            yield {**ECHO, "name": "leaking", "description": f"Uses {os.environ.get('NEGOTIATING_TOKEN')}."}
        is_flagged = "flag" in self.flaws and self.has_flag(client)
        is_enabled = "enabled" in self.flaws and isinstance(objects, dict) and objects.get("enabled")
        is_admin = "name" in self.flaws and client.get("clientInfo", {}).get("name") == "admin"
        is_sticky = "sticky" in self.flaws and bool(flags)
        is_told = any(flaw in self.flaws and claims(client) for flaw, claims in CLAIMS.items())
        if is_flagged or is_enabled or is_admin or is_sticky or is_told or "outside" in self.flaws:
            yield SECRET
        if "volatile" in self.flaws:
            yield {**ECHO, "name": f"at-{time.monotonic_ns()}"}


def asking(method: str) -> Json:
    return {"jsonrpc": "2.0", "id": "ours", "method": method, "params": {}}


def main() -> None:
    server = Server(sys.argv[1:])
    for line in sys.stdin:
        for message in server.take(json.loads(line)):
            sys.stdout.write(json.dumps(message) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
