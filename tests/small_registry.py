"""A registry in memory that answers as the real one does, and can be told to lie."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs

import httpx

from avow.core import dsse
from avow.core.canonical import JsonObject
from avow.core.keys import PrivateKey
from avow.core.publication import PUBLICATION_TYPE, ServerName, publication_payload, read_publication
from avow.core.tlog import entry, notes
from avow.core.tlog.checkpoint import add_cosignature
from avow.core.tlog.encoding import to_base64
from avow.core.tlog.entry import ApprovalEntry, NamespaceEntry, PublicationEntry
from avow.core.tlog.notes import SignatureType, Signer
from avow.core.tlog.tiles import read_path
from avow.system.registry_client.client import RegistryClient
from avow.system.registry_client.remembered import Memory
from small_log import SmallLog
from small_server import snapshot

URL = "https://registry.example"
NAME = ServerName("io.github.owner", "files")
PUBLISHER = PrivateKey(b"p" * 32)
TIME = "2026-11-15T14:35:50.123Z"


def tool(name: str) -> JsonObject:
    """A definition that says no more than it has to."""
    return {"name": name, "description": f"To {name}.", "inputSchema": {"type": "object"}}


@dataclass
class SmallRegistry:
    """`lies` are answers to give instead, by path; `asked` is every path and query that was asked for."""

    log: SmallLog = field(default_factory=SmallLog)
    versions: dict[str, JsonObject] = field(default_factory=dict)
    envelopes: dict[str, bytes] = field(default_factory=dict)
    decisions: list[JsonObject] = field(default_factory=list)
    lies: dict[str, Callable[[httpx.Request], httpx.Response]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    is_down: bool = False

    def client(self, **options: object) -> RegistryClient:
        return RegistryClient(URL, over=httpx.MockTransport(self.answer), **options)  # type: ignore[arg-type]

    def claim(self, key: PrivateKey = PUBLISHER) -> None:
        """Give the namespace to a key."""
        owner = key.public.identifier
        self.append(NamespaceEntry(time=TIME, namespace=NAME.namespace, key=owner, by="root"))

    def publish(self, version: str, *tools: JsonObject, key: PrivateKey = PUBLISHER) -> None:
        payload = publication_payload(NAME, version, snapshot(list(tools)))
        found = read_publication(payload)
        self.envelopes[version] = dsse.dumps(dsse.sign(payload, PUBLICATION_TYPE, [key]))
        fact = PublicationEntry(
            time=TIME,
            name=str(NAME),
            version=version,
            digest=found.snapshot.signature.digest,
            content=found.content,
            key=key.public.identifier,
        )
        self.versions[version] = {"name": str(NAME), "version": version, "digest": fact.digest}
        self.versions[version]["logIndex"] = self.append(fact)

    def decide(self, version: str, state: str, by: str = "Ada", *, needed: int = 1) -> None:
        fact = ApprovalEntry(
            time=TIME,
            name=str(NAME),
            version=version,
            digest=self.versions[version]["digest"],
            environment="production",
            state=state,
            needed=needed,
            by=by,
            reason="because",
        )
        self.decisions.append({"version": version, "state": state, "logIndex": self.append(fact)})

    def cosigned(self, note: bytes, by: Signer, at: int) -> None:
        """Keep what a witness signed, and answer with it to everybody who asks for any."""
        signed = add_cosignature(note, notes.cosign(notes.loads(note).text, by, at=at))
        kept = self.lies.get("log/cosigned")

        def answer(request: httpx.Request) -> httpx.Response:
            if request.url.params["witness"] == by.verifier(SignatureType.WITNESS).author:
                return httpx.Response(200, content=signed)
            return kept(request) if kept else httpx.Response(404)

        self.lies["log/cosigned"] = answer

    def append(self, fact: entry.Entry) -> int:
        self.log.append(entry.dumps(fact))
        return self.log.size - 1

    def answer(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix("/").removeprefix("api/v1/")
        self.asked.append(f"{path}?{request.url.query.decode()}".removesuffix("?"))
        if self.is_down:
            raise httpx.ConnectError("nobody is there", request=request)
        if path in self.lies:
            return self.lies[path](request)
        query = {name: values[0] for name, values in parse_qs(request.url.query.decode()).items()}
        return self._answer(path.split("/"), query)

    def _answer(self, path: list[str], query: dict[str, str]) -> httpx.Response:
        match path:
            case ["checkpoint"]:
                return httpx.Response(200, content=self.log.checkpoint())
            case ["tile", *_]:
                return httpx.Response(200, content=self.log.serve(read_path("/".join(path))))
            case ["log", "key"]:
                return httpx.Response(200, json={"key": str(self.log.signer.verifier())})
            case ["log", "consistency"]:
                old, new = int(query["from"]), int(query["to"])
                if not old <= new <= self.log.size:
                    return httpx.Response(400, json={"detail": "the log is not that long"})
                return proof(self.log.consistency(old, new))
            case ["log", "inclusion"]:
                index, size = int(query["index"]), int(query["size"])
                return proof(self.log.inclusion(index, size), entry=self.log.entries[index].decode())
            case ["servers", "io.github.owner", "files", "versions", version]:
                newest = list(self.versions)[-1]
                return httpx.Response(200, json=self.versions[newest if version == "latest" else version])
            case ["servers", "io.github.owner", "files", "versions", version, "envelope"]:
                return httpx.Response(200, content=self.envelopes[version])
            case ["digests", digest]:
                last = [name for name, found in self.versions.items() if found["digest"] == digest][-1:]
                holders = [{"name": str(NAME), "last": version} for version in last]
                return httpx.Response(200, json={"holders": holders, "next": None})
            case ["approvals"]:
                return httpx.Response(200, json={"approvals": self.decisions, "next": None})
            case _:
                return httpx.Response(
                    404, json={"detail": "there is no such thing", "hint": "look elsewhere"}
                )


def proof(hashes: tuple[bytes, ...], **others: str) -> httpx.Response:
    return httpx.Response(200, json={"hashes": [to_base64(each) for each in hashes], **others})


def memory(directory: Path) -> Memory:
    return Memory.of(URL, directory)
