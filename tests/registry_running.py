"""A registry to send requests to: its application in this process, or as the program that people start."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from avow.core import dsse
from avow.core.canonical import JsonObject
from avow.core.keys import PrivateKey
from avow.core.publication import PUBLICATION_TYPE, ServerName, publication_payload
from avow.core.tlog.notes import Signer
from avow.registry import tokens
from avow.registry.app import create_app
from avow.registry.limits import Limits
from avow.registry.metrics import Metrics
from avow.registry.model import Role
from avow.registry.oidc import Identities
from avow.registry.service import Service
from avow.registry.settings import Settings
from avow.registry.store.opening import open_store
from small_server import snapshot

ORIGIN = "registry.example/log"
SIGNER = Signer(ORIGIN, PrivateKey(b"l" * 32))
OWNER = PrivateKey(b"o" * 32)
STRANGER = PrivateKey(b"s" * 32)
NAME = "io.github.owner/files"
READ: JsonObject = {
    "name": "read_file",
    "description": "Read a file.",
    "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
}
DELETE: JsonObject = {
    "name": "delete_file",
    "description": "Delete a file for good.",
    "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
}


def envelope(version: str, *tools: JsonObject, name: str = NAME, key: PrivateKey = OWNER) -> bytes:
    """A publication of these tools, signed."""
    payload = publication_payload(ServerName.read(name), version, snapshot(list(tools) or [READ]))
    return dsse.dumps(dsse.sign(payload, PUBLICATION_TYPE, [key]))


@dataclass(frozen=True)
class Running:
    """A service, a client without a token, and a token for each role."""

    service: Service
    client: httpx.AsyncClient
    tokens: Mapping[Role, str]

    async def get(self, path: str, role: Role | None = None, **options: Any) -> httpx.Response:
        return await self.ask("GET", path, role, **options)

    async def post(self, path: str, document: Any, role: Role | None = None) -> httpx.Response:
        return await self.ask("POST", path, role, json=document)

    async def ask(self, method: str, path: str, role: Role | None = None, **options: Any) -> httpx.Response:
        headers = {**options.pop("headers", {})}
        if role is not None:
            headers["authorization"] = f"Bearer {self.tokens[role]}"
        return await self.client.request(method, path, headers=headers, **options)

    async def send(self, data: bytes, role: Role | None = Role.PUBLISH) -> httpx.Response:
        headers = {"content-type": "application/json"}
        return await self.ask("POST", "/api/v1/publish", role, content=data, headers=headers)

    async def claim(self, namespace: str = "io.github.owner", key: PrivateKey = OWNER) -> None:
        document = {"namespace": namespace, "key": key.public.pem.decode()}
        answer = await self.post("/api/v1/namespaces", document, Role.ADMINISTER)
        assert answer.status_code == 201, answer.text


@asynccontextmanager
async def running(address: str, settings: Settings | None = None) -> AsyncIterator[Running]:
    """A registry in this process, whose owner has claimed a namespace."""
    store = await open_store(address, SIGNER)
    try:
        chosen = settings or Settings(url="http://registry.example")
        bounds = chosen.bounds
        service = Service(
            store,
            chosen,
            ORIGIN,
            str(SIGNER.verifier()),
            Metrics(),
            Limits(bounds.rate, bounds.burst, bounds.token_rate, bounds.failures),
            identities=Identities(chosen.issuers) if chosen.issuers else None,
        )
        made = {role: (await tokens.issue(store, f"the {role}", role, service.clock())).text for role in Role}
        transport = httpx.ASGITransport(create_app(service), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            registry = Running(service, client, made)
            await registry.claim()
            yield registry
    finally:
        await store.close()


def told(address: str, story: Callable[[Running], Awaitable[None]], settings: Settings | None = None) -> None:
    """Run a story with a registry of its own."""

    async def run() -> None:
        async with asyncio.timeout(60), running(address, settings) as registry:
            await story(registry)

    asyncio.run(run())


@dataclass(frozen=True)
class Program:
    """`avow registry serve` as a process."""

    url: str
    token: str
    process: "subprocess.Popen[str]"
    environment: Mapping[str, str]

    def avow(self, *arguments: str | Path, code: int = 0, **variables: str) -> str:
        """Run a command of ours against it; the answer is what it prints."""
        done = subprocess.run(
            [sys.executable, "-m", "avow", *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=60,
            env={
                **self.environment,
                "AVOW_REGISTRY": self.url,
                "AVOW_REGISTRY_TOKEN": self.token,
                **variables,
            },
        )
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        return done.stdout + done.stderr


@contextmanager
def program(
    directory: Path, *options: str, token: str = "", start: Sequence[str] = ("-m", "avow")
) -> Iterator[Program]:
    """Start a registry in a directory; it ends in an orderly way, or the test fails.

    `start` is what Python is told, for those who want something about it to be different.
    """
    home = directory / "home"
    home.mkdir(exist_ok=True)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("AVOW", "XDG"))},
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_STATE_HOME": str(home / "state"),
        "AVOW_SECRET_STORE": "file",
    }
    arguments = ["registry", "serve", "--data", str(directory / "data"), "--listen", "127.0.0.1:0", *options]
    with (directory / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, *start, *arguments],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=environment,
        )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if found := re.search(r"avow_\S+", line):
                token = found[0]
            if line.startswith("http"):
                yield Program(line.strip(), token, process, environment)
                break
        else:
            raise AssertionError((directory / "log").read_text())
    finally:
        if process.poll() is None:
            process.terminate()
        code = process.wait(20)
        if process.stdout is not None:
            process.stdout.close()
    assert code in (0, -9), (code, (directory / "log").read_text())
