"""A client and a server in memory with a gate between them; whole conversations run without any stream."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from avow.core.canonical import canonical
from avow.core.capability import Capability, Kind, Signature
from avow.core.contract import Contract
from avow.core.snapshot import Era, Snapshot
from avow.core.target import StdioTarget
from avow.protocol.events import Event
from avow.protocol.gate import Decision, Gate, GatePolicy, HeaderFacts, Knowledge

Json = dict[str, Any]

LEGACY_VERSION = "2025-11-25"
MODERN_VERSION = "2026-07-28"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"

ECHO: Json = {
    "name": "echo",
    "description": "Say it again.",
    "inputSchema": {
        "type": "object",
        "properties": {"text": {"type": "string"}, "mode": {"enum": ["loud", "quiet"]}},
        "required": ["text"],
        "additionalProperties": False,
    },
}
TIME: Json = {"name": "get_time", "description": "What time is it?", "inputSchema": {"type": "object"}}
GREET: Json = {"name": "greet", "description": "A greeting.", "arguments": [{"name": "who"}]}
README: Json = {"uri": "file:///project/README.md", "name": "Read me"}
FILES: Json = {"uriTemplate": "file:///project/{path}", "name": "Files"}
EVIL: Json = {"name": "run_shell", "title": "EVIL", "description": "EVIL", "inputSchema": {"type": "object"}}


def line(message: Any) -> bytes:
    """A message as the SDKs write it."""
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode()


def asked(method: str, request_id: Any = 1, **params: Any) -> Json:
    """A request."""
    message: Json = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return message | ({"params": params} if params else {})


def told(method: str, **params: Any) -> Json:
    """A notification."""
    message: Json = {"jsonrpc": "2.0", "method": method}
    return message | ({"params": params} if params else {})


def answered(request_id: Any, **result: Any) -> Json:
    """An answer."""
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def failed(request_id: Any, code: int = -32603, message: str = "no") -> Json:
    """An error."""
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}


def signature(
    tools: Iterable[Json] = (ECHO, TIME),
    prompts: Iterable[Json] = (GREET,),
    resources: Iterable[Json] = (README,),
    templates: Iterable[Json] = (FILES,),
) -> Signature:
    """What the server of these tests offers, unless told otherwise."""
    kinds = zip(Kind, (tools, prompts, resources, templates), strict=True)
    return Signature.of(Capability.read(kind, item) for kind, items in kinds for item in items)


def entry(approved: Signature | None = None, **members: Any) -> Snapshot:
    """A lock entry for the server of these tests."""
    known: Json = {
        "target": StdioTarget("demo"),
        "server": {"name": "demo", "version": "1"},
        "protocol_version": LEGACY_VERSION,
        "era": Era.LEGACY,
        "capabilities": {"tools": {}, "prompts": {}, "resources": {"subscribe": True}, "completions": {}},
        "signature": signature() if approved is None else approved,
        "instructions": "Be kind.",
    }
    return Snapshot(**(known | members))


def locked(approved: Signature | None = None, **members: Any) -> Contract:
    """The contract of that lock entry."""
    return Contract.from_entry(entry(approved, **members))


@dataclass
class Server:
    """A server that does as its members say; `saw` is everything that reached it."""

    tools: list[Json] = field(default_factory=lambda: [ECHO, TIME])
    prompts: list[Json] = field(default_factory=lambda: [GREET])
    resources: list[Json] = field(default_factory=lambda: [README])
    templates: list[Json] = field(default_factory=lambda: [FILES])
    name: str = "demo"
    version: str | None = None
    instructions: str | None = "Be kind."
    capabilities: Json = field(
        default_factory=lambda: {
            "tools": {},
            "prompts": {},
            "resources": {"subscribe": True},
            "completions": {},
        }
    )
    signature: Json | None = None
    page_size: int = 100
    answers: dict[str, Callable[[Json], Json]] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)
    saw: list[Json] = field(default_factory=list)

    def receive(self, message: Json | list[Json]) -> list[Json | list[Json]]:
        """What the server sends when this arrives."""
        if isinstance(message, list):
            replies = [reply for part in message for reply in self.receive(part)]
            return [replies] if replies else []  # type: ignore[list-item]
        self.saw.append(message)
        if "method" not in message or "id" not in message or message["method"] in self.silent:
            return []
        method, params = message["method"], message.get("params", {})
        if method in self.answers:
            return [{"jsonrpc": "2.0", **self.answers[method](params), "id": message["id"]}]
        result = self._result(method, params)
        if result is None:
            return [failed(message["id"], -32601)]
        if VERSION_KEY in params.get("_meta", {}):
            result = {
                "resultType": "complete",
                **result,
                "_meta": {SERVER_KEY: {"name": self.name, "version": "1"}},
            }
        return [answered(message["id"], **result)]

    def methods(self) -> list[str]:
        """What the server was asked and told, in order, the gate's own questions included."""
        return [message.get("method", "(answer)") for message in self.saw]

    def _result(self, method: str, params: Json) -> Json | None:
        match method:
            case "initialize":
                return {
                    "protocolVersion": self.version or params["protocolVersion"],
                    "capabilities": self.capabilities,
                    "serverInfo": {"name": self.name, "version": "1"},
                    **self._instructions(),
                }
            case "server/discover":
                versions = {"supportedVersions": [MODERN_VERSION], "ttlMs": 0, "cacheScope": "private"}
                return {"capabilities": self.capabilities, **versions, **self._instructions()}
            case "tools/list":
                return self._page("tools", self.tools, params)
            case "prompts/list":
                return self._page("prompts", self.prompts, params)
            case "resources/list":
                return self._page("resources", self.resources, params)
            case "resources/templates/list":
                return self._page("resourceTemplates", self.templates, params)
            case "signature" if self.signature is not None:
                return self.signature
            case "tools/call":
                return {"content": [{"type": "text", "text": "done"}]}
            case "ping" | "resources/subscribe" | "resources/unsubscribe" | "logging/setLevel":
                return {}
            case "prompts/get":
                return {"messages": []}
            case "resources/read":
                return {"contents": []}
            case "completion/complete":
                return {"completion": {"values": []}}
            case "x/extension":
                return {"anything": True}
            case _:
                return None

    def _instructions(self) -> Json:
        return {} if self.instructions is None else {"instructions": self.instructions}

    def _page(self, collection: str, items: list[Json], params: Json) -> Json:
        start = int(params.get("cursor", "0"))
        page: Json = {collection: items[start : start + self.page_size], "x-kept": 1}
        if start + self.page_size < len(items):
            page["nextCursor"] = str(start + self.page_size)
        return page


class Stage:
    """One conversation: everything that either side sends goes through the gate."""

    def __init__(
        self,
        server: Server | None = None,
        contract: Contract | None = None,
        policy: GatePolicy | None = None,
        *,
        knowledge: Knowledge | None = None,
        client_capabilities: Json | None = None,
    ) -> None:
        self.server = Server() if server is None else server
        self.gate = Gate(contract, policy or GatePolicy(), "demo", knowledge=knowledge)
        self.client_capabilities = client_capabilities or {}
        self.got: list[Json] = []
        self.got_lines: list[bytes] = []
        self.events: list[Event] = []
        self.closed = False
        self.era: Era | None = None
        self._next = 100

    def open(self, era: Era = Era.LEGACY, version: str = LEGACY_VERSION) -> "Stage":
        """Go through the handshake, or probe the server as a modern client does."""
        self.era = era
        if era is Era.LEGACY:
            capabilities = self.client_capabilities
            self.client(
                asked("initialize", 0, protocolVersion=version, capabilities=capabilities, clientInfo={})
            )
            self.client(told("notifications/initialized"))
        else:
            self.ask("server/discover")
        return self

    def ask(self, method: str, **params: Any) -> Json:
        """A request as a client of this era makes it; what the client gets for it."""
        self._next += 1
        request_id = self._next
        if self.era is Era.MODERN:
            params["_meta"] = self.meta() | params.get("_meta", {})
        self.client(asked(method, request_id, **params))
        answers = [message for message in self.got if message.get("id") == request_id]
        assert len(answers) <= 1, answers
        return answers[0] if answers else {}

    def meta(self) -> Json:
        """What every modern request carries."""
        client = {"name": "test", "version": "1"}
        return {VERSION_KEY: MODERN_VERSION, CAPABILITIES_KEY: self.client_capabilities, CLIENT_KEY: client}

    def call(self, name: str = "echo", **arguments: Any) -> Json:
        """A tool call; what the client gets for it."""
        return self.ask("tools/call", name=name, arguments=arguments or {"text": "hi"})

    def names(self, kind: Kind = Kind.TOOL) -> list[str]:
        """The names that the client sees, over all pages."""
        found: list[str] = []
        cursor: Json = {}
        while True:
            result = self.ask(kind.list_method, **cursor)["result"]
            found += [item[kind.identifier] for item in result[kind.collection]]
            if "nextCursor" not in result:
                return found
            cursor = {"cursor": result["nextCursor"]}

    def client(self, message: Json | list[Json] | bytes, headers: HeaderFacts | None = None) -> None:
        """The client sends something."""
        self._deliver(
            self.gate.from_client(message if isinstance(message, bytes) else line(message), headers)
        )

    def serve(self, message: Json | list[Json] | bytes) -> None:
        """The server sends something by itself."""
        self._deliver(self.gate.from_server(message if isinstance(message, bytes) else line(message)))

    def happened(self, what: str) -> list[Event]:
        """The events of that name."""
        return [event for event in self.events if event.event == what]

    def reached(self, method: str) -> bool:
        """Whether the server saw such a message."""
        return method in self.server.methods()

    def _deliver(self, decision: Decision) -> None:
        waiting = [decision]
        while waiting:
            now = waiting.pop(0)
            self.events += now.events
            self.closed = self.closed or now.close
            for raw in now.to_client:
                self.got_lines.append(raw)
                message = json.loads(raw)
                self.got += message if isinstance(message, list) else [message]
            for raw in now.to_server:
                for reply in self.server.receive(json.loads(raw)):
                    waiting.append(self.gate.from_server(line(reply)))


def code(message: Json) -> int:
    """The code of an error."""
    found: int = message["error"]["code"]
    return found


def reason(message: Json) -> str:
    """The rule that a refusal names."""
    assert code(message) == -32010, message
    found: str = message["error"]["data"]["avow"]["reason"]
    return found


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal, `true` and `1` being different."""
    return canonical(left) == canonical(right)
