"""The API of a registry, one method for each question; what the answers claim is not proved here."""

from typing import Final
from urllib.parse import quote

from avow.core.canonical import JsonObject, JsonValue, canonical
from avow.core.publication import ServerName, read_version
from avow.core.tlog.encoding import from_base64
from avow.core.tlog.hashing import HASH_LENGTH
from avow.core.tlog.notes import MAX_NOTE, VerifierKey, read_verifier_key
from avow.core.tlog.proofs import MAX_HASHES
from avow.core.tlog.tiles import MAX_BUNDLE, MAX_ENTRY, WIDTH, Served, Tile
from avow.errors import MalformedInputError, PeerProtocolError
from avow.system.registry_client.transport import MAX_JSON, Transport

_API: Final = "api/v1"
# An entry, each character of it escaped, and the hashes.
_MAX_PROOF: Final = 6 * MAX_ENTRY + 64 * MAX_HASHES + 1024


class RegistryClient(Transport):
    """Questions to one registry. Every method raises what `Transport.get` does."""

    def publish(self, envelope: bytes) -> JsonObject:
        """Publish what a DSSE envelope holds; the answer has the digest, the log index and a proof."""
        return self.post(f"{_API}/publish", envelope)

    def servers(
        self,
        q: str = "",
        *,
        namespace: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> JsonObject:
        """Servers, the one that changed last first."""
        query = {"q": q or None, "namespace": namespace, "cursor": cursor, "limit": limit}
        return self.get_json(f"{_API}/servers", query)

    def versions(
        self, name: ServerName, *, cursor: str | None = None, limit: int | None = None
    ) -> JsonObject:
        """The history of a server with the drift of each version, newest first."""
        return self.get_json(f"{_of(name)}/versions", {"cursor": cursor, "limit": limit})

    def version(self, name: ServerName, version: str = "latest") -> JsonObject:
        """One version with its snapshot."""
        return self.get_json(_version(name, version))

    def envelope(self, name: ServerName, version: str) -> bytes:
        """What the publisher signed, as it was sent."""
        return self.get(f"{_version(name, version)}/envelope", limit=MAX_JSON)

    def search(
        self,
        *,
        tool: str | None = None,
        text: str | None = None,
        argument: str | None = None,
        annotation: str | None = None,
        risk: str | None = None,
        kind: str | None = None,
        secrets: str | None = None,
        namespace: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> JsonObject:
        """Capabilities and the servers that offer them; everything that is given has to hold."""
        query = {"tool": tool, "text": text, "argument": argument, "annotation": annotation, "risk": risk}
        query |= {"kind": kind, "secrets": secrets, "namespace": namespace, "cursor": cursor}
        return self.get_json(f"{_API}/search", {**query, "limit": limit})

    def match(self, signature: JsonObject) -> JsonObject:
        """Servers that offer at least what a signature or a snapshot offers."""
        return self.post(f"{_API}/match", canonical(signature))

    def digest(self, digest: str, *, cursor: str | None = None) -> JsonObject:
        """Who has published exactly this signature or capability."""
        return self.get_json(f"{_API}/digests/{quote(digest, safe=':')}", {"cursor": cursor})

    def approvals(
        self,
        name: ServerName | None = None,
        *,
        environment: str | None = None,
        version: str | None = None,
        state: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> JsonObject:
        """Decisions about a server, oldest first; without a name, versions that stand so somewhere now."""
        query = {"name": name, "version": version, "environment": environment, "state": state}
        return self.get_json(f"{_API}/approvals", {**query, "cursor": cursor, "limit": limit})

    def changes(
        self,
        *,
        after: int = 0,
        target: str | None = None,
        level: str | None = None,
        limit: int | None = None,
    ) -> JsonObject:
        """Publications after a position, oldest first; `next` of the answer is the position to go on from."""
        query = {"after": after, "target": target, "level": level, "limit": limit}
        return self.get_json(f"{_API}/changes", query)

    def decide(self, decision: JsonObject) -> JsonObject:
        """Approve or reject a version, in the name of whom the token belongs to."""
        return self.post(f"{_API}/approvals", canonical(decision))

    def log_key(self) -> VerifierKey:
        """The key that the registry says its log has."""
        match self.get_json(f"{_API}/log/key", limit=MAX_NOTE):
            case {"key": str(text)}:
                return read_verifier_key(text)
            case _:
                raise PeerProtocolError(f"{self.url} does not say what the key of its log is")

    def checkpoint(self) -> bytes:
        """The signed note about the log."""
        return self.get("checkpoint", limit=MAX_NOTE)

    def cosigned(self, witness: VerifierKey) -> bytes:
        """The signed note about the newest state of the log that a witness has signed, too."""
        return self.get(f"{_API}/log/cosigned", {"witness": witness.author}, limit=MAX_NOTE)

    def served(self, served: Served) -> bytes:
        """A tile or a bundle of entries."""
        return self.get(served.path, limit=HASH_LENGTH * WIDTH if isinstance(served, Tile) else MAX_BUNDLE)

    def inclusion(self, index: int, size: int) -> tuple[bytes, tuple[bytes, ...]]:
        """An entry, and the hashes that are said to lead from it to the root of this size."""
        match self.get_json(f"{_API}/log/inclusion", {"index": index, "size": size}, limit=_MAX_PROOF):
            case {"entry": str(entry), "hashes": list(hashes)}:
                return entry.encode(errors="replace"), read_hashes(hashes)
            case _:
                raise PeerProtocolError(f"{self.url} does not answer a proof")

    def consistency(self, before: int, after: int) -> tuple[bytes, ...]:
        """The hashes that are said to show that the log only grew."""
        match self.get_json(f"{_API}/log/consistency", {"from": before, "to": after}, limit=_MAX_PROOF):
            case {"hashes": list(hashes)}:
                return read_hashes(hashes)
            case _:
                raise PeerProtocolError(f"{self.url} does not answer a proof")


def read_hashes(values: list[JsonValue]) -> tuple[bytes, ...]:
    """The hashes of a proof.

    Raises:
        MalformedInputError: these are none, or more than a proof has.
    """
    hashes = [from_base64(value) if isinstance(value, str) else None for value in values[:MAX_HASHES]]
    found = tuple(each for each in hashes if each is not None and len(each) == HASH_LENGTH)
    if len(found) != len(values):
        raise MalformedInputError("a proof in the registry's answer is not a list of hashes")
    return found


def _of(name: ServerName) -> str:
    return f"{_API}/servers/{name}"


def _version(name: ServerName, version: str) -> str:
    spelled = version if version == "latest" else quote(read_version(version), safe="")
    return f"{_of(name)}/versions/{spelled}"
