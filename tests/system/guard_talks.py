"""Raw talks with guarded servers: JSON lines on pipes, and JSON over HTTP, in either era, with any claims."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from avow.core.snapshot import Era

SERVER = Path(__file__).parent / "servers" / "guarded.py"
PATIENCE = 60.0
MODERN = "2026-07-28"
LEGACY = "2025-11-25"
CLIENT = {"name": "tester", "version": "1"}
Json = dict[str, Any]


def hello(version: str = LEGACY, **claims: Any) -> Json:
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT, **claims}


def enveloped(params: Json | None, claims: Json) -> Json:
    said = {"protocolVersion": MODERN, "clientInfo": CLIENT, "clientCapabilities": {}, **claims}
    meta = {f"io.modelcontextprotocol/{name}": value for name, value in said.items() if value is not None}
    return {**(params or {}), "_meta": meta}


class Talk:
    """A client that says what it is told to."""

    def __init__(self, era: Era) -> None:
        self.era = era
        self.number = 0
        self.asked: list[Json] = []

    def ask(self, method: str, params: Json | None = None, **claims: Any) -> Json:
        """The whole answer to a request."""
        self.number += 1
        body = params or {}
        if self.era is Era.MODERN and method != "initialize":
            body = enveloped(params, claims)
        return self.exchange({"jsonrpc": "2.0", "id": self.number, "method": method, "params": body})

    def call(self, tool: str, arguments: Json, **claims: Any) -> Json:
        return self.ask("tools/call", {"name": tool, "arguments": arguments}, **claims)

    def notify(self, method: str) -> None:
        self.exchange({"jsonrpc": "2.0", "method": method})

    def tools(self, **claims: Any) -> list[str]:
        return sorted(tool["name"] for tool in self.ask("tools/list", **claims)["result"]["tools"])

    def open(self, version: str = LEGACY, **claims: Any) -> Json:
        """Shake hands, or introduce oneself."""
        if self.era is Era.MODERN:
            capabilities = claims.pop("capabilities", {})
            return self.ask("server/discover", clientCapabilities=capabilities, **claims)
        answer = self.ask("initialize", hello(version, **claims))
        self.notify("notifications/initialized")
        return answer

    def exchange(self, message: Json) -> Json:
        raise NotImplementedError


class Lines(Talk):
    """Over the pipes of a process."""

    def __init__(self, era: Era, process: "subprocess.Popen[str]") -> None:
        super().__init__(era)
        self._process = process

    def exchange(self, message: Json) -> Json:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
        if "id" not in message:
            return {}
        for line in self._process.stdout:
            answer: Json = json.loads(line)
            if "method" in answer:
                self.asked.append(answer)
            elif answer.get("id") == message["id"]:
                return answer
        raise AssertionError("the server went away")


class Posts(Talk):
    """Over HTTP, one POST a message; `session` is the id that the server gave."""

    def __init__(self, era: Era, url: str, token: str = "guest") -> None:
        super().__init__(era)
        self.url = url
        self.session: str | None = None
        self.status = 0
        self.token = token
        self.version = ""

    @property
    def headers(self) -> dict[str, str]:
        found = {"Authorization": f"Bearer {self.token}", "Accept": "application/json, text/event-stream"}
        if self.session is not None:
            found["Mcp-Session-Id"] = self.session
        if self.version:
            found["MCP-Protocol-Version"] = self.version
        return found

    def exchange(self, message: Json) -> Json:
        headers = self.headers
        if self.era is Era.MODERN and message["method"] != "initialize":
            headers |= {"MCP-Protocol-Version": self.version or MODERN, "Mcp-Method": message["method"]}
            if "name" in message["params"]:
                headers["Mcp-Name"] = message["params"]["name"]
        answer = httpx.post(self.url, json=message, headers=headers, timeout=PATIENCE)
        self.status = answer.status_code
        self.session = answer.headers.get("mcp-session-id", self.session)
        return self._read(answer) if answer.content else {}

    def leave(self) -> int:
        return httpx.delete(self.url, headers=self.headers, timeout=PATIENCE).status_code

    def _read(self, answer: httpx.Response) -> Json:
        if "text/event-stream" not in answer.headers.get("content-type", ""):
            found: Json = answer.json()
            return found
        lines = [line[5:].strip() for line in answer.text.splitlines() if line.startswith("data:")]
        messages: list[Json] = [json.loads(line) for line in lines if line]
        self.asked += [one for one in messages if "method" in one]
        return next(one for one in messages if "method" not in one)


@contextmanager
def lines(framework: str, era: Era) -> Iterator[tuple[Lines, list[Json]]]:
    """A process and its talk; the events are there when the talk is over."""
    events: list[Json] = []
    command = [sys.executable, str(SERVER), framework, "stdio"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        yield Lines(era, process), events
        _, said = process.communicate(timeout=PATIENCE)
        events += [json.loads(line) for line in said.splitlines() if line.startswith('{"time"')]
