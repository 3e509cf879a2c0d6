"""What only those with a token ask a registry for: namespaces, tokens, environments."""

from typing import Final
from urllib.parse import quote

from avow.core.canonical import JsonObject, canonical
from avow.system.registry_client.client import RegistryClient
from avow.system.registry_client.transport import MAX_JSON

_API: Final = "api/v1"


class Administration(RegistryClient):
    """Changes to a registry. Every method raises what `Transport.get` does."""

    def claim(self, namespace: str, pem: str) -> JsonObject:
        """Give a namespace to a key."""
        return self.post(f"{_API}/namespaces", canonical({"namespace": namespace, "key": pem}))

    def namespace(self, namespace: str) -> JsonObject:
        """One namespace with its keys."""
        return self.get_json(f"{_API}/namespaces/{quote(namespace, safe='')}")

    def change_keys(self, namespace: str, body: bytes) -> JsonObject:
        """Add and revoke keys."""
        return self.post(f"{_API}/namespaces/{quote(namespace, safe='')}/keys", body)

    def tokens(self) -> JsonObject:
        """All tokens, without their secrets."""
        return self.get_json(f"{_API}/tokens")

    def add_token(self, person: str, role: str) -> JsonObject:
        """Make a token."""
        return self.post(f"{_API}/tokens", canonical({"person": person, "role": role}))

    def revoke_token(self, identifier: str) -> None:
        """End a token."""
        self._exchange("DELETE", f"{_API}/tokens/{quote(identifier, safe='')}", MAX_JSON)

    def set_environment(self, name: str, needed: int) -> JsonObject:
        """Say how many people have to agree."""
        headers = {"Content-Type": "application/json"}
        path = f"{_API}/environments/{quote(name, safe='')}"
        body = canonical({"needed": needed})
        return self._read(path, self._exchange("PUT", path, MAX_JSON, content=body, headers=headers))

    def origin(self) -> str:
        """The name of the registry's log."""
        return self.log_key().name
