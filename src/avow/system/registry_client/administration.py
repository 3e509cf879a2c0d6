"""The questions of those with a token: namespaces, tokens, environments, and what they want to be told."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote, urlsplit

from avow.core.canonical import JsonObject, canonical
from avow.core.keys import KeyId, PublicKey
from avow.core.publication import read_namespace, read_watched
from avow.errors import UsageError
from avow.system.registry_client.client import RegistryClient

_API: Final = "api/v1"


class RegistryAdministration(RegistryClient):
    """What a token of a higher role may ask, too. Every method raises what `Transport.get` does."""

    def namespaces(self, *, cursor: str | None = None) -> JsonObject:
        """All namespaces with their keys."""
        return self.get_json(f"{_API}/namespaces", {"cursor": cursor})

    def namespace(self, namespace: str) -> JsonObject:
        """One namespace with every key it ever had."""
        return self.get_json(f"{_API}/namespaces/{read_namespace(namespace)}")

    def claim(self, namespace: str, key: PublicKey) -> JsonObject:
        """Give a namespace that nobody has to a key."""
        document = {"namespace": read_namespace(namespace), "key": key.pem.decode("ascii")}
        return self.post(f"{_API}/namespaces", canonical(document))

    def change_keys(
        self, namespace: str, *, add: Sequence[PublicKey] = (), revoke: Sequence[KeyId] = ()
    ) -> JsonObject:
        """Add and revoke keys of a namespace, as an administrator."""
        document = {"add": [each.pem.decode("ascii") for each in add], "revoke": list(revoke)}
        return self.post(f"{_API}/namespaces/{read_namespace(namespace)}/keys", canonical(document))

    def change_keys_signed(self, namespace: str, envelope: bytes) -> JsonObject:
        """The same on the word of a key of the namespace, which signed the envelope."""
        return self.post(f"{_API}/namespaces/{read_namespace(namespace)}/keys", envelope)

    def tokens(self) -> JsonObject:
        """All tokens, without their secrets."""
        return self.get_json(f"{_API}/tokens")

    def add_token(self, person: str, role: str) -> JsonObject:
        """Make a token; its text is in this answer and nowhere else."""
        return self.post(f"{_API}/tokens", canonical({"person": person, "role": role}))

    def revoke_token(self, identifier: str) -> None:
        """End a token."""
        self.delete(f"{_API}/tokens/{_quoted(identifier)}")

    def environments(self) -> JsonObject:
        """Where versions are approved for, and how many people have to agree."""
        return self.get_json(f"{_API}/environments")

    def set_environment(self, environment: str, needed: int) -> JsonObject:
        """Say how many people have to agree in an environment."""
        body = canonical({"needed": needed})
        return self.post(f"{_API}/environments/{_quoted(environment)}", body, method="PUT")

    def watches(self) -> JsonObject:
        """What the owner of the token wants to hear of."""
        return self.get_json(f"{_API}/watches")

    def add_watch(self, target: str, level: str) -> JsonObject:
        """Hear of drift at or above a level, in a server or a whole namespace."""
        document = {"target": read_watched(target), "level": level}
        return self.post(f"{_API}/watches", canonical(document))

    def remove_watch(self, identifier: str) -> None:
        """Hear of it no more."""
        self.delete(f"{_API}/watches/{_quoted(identifier)}")

    def watched_changes(self, *, after: int = 0, limit: int | None = None) -> JsonObject:
        """What has changed in everything that is watched, oldest first."""
        return self.get_json(f"{_API}/watches/changes", {"after": after, "limit": limit})

    def webhooks(self) -> JsonObject:
        """The webhooks of the owner of the token, without their secrets."""
        return self.get_json(f"{_API}/webhooks")

    def add_webhook(self, url: str, targets: Sequence[str], level: str) -> JsonObject:
        """Have an address told of drift; the secret that signs is in this answer and nowhere else."""
        if urlsplit(url).scheme not in ("http", "https"):
            raise UsageError(
                "a webhook has an address of the web", hint="it looks like https://hook.example/x"
            )
        document = {"url": url, "targets": [read_watched(each) for each in targets], "level": level}
        return self.post(f"{_API}/webhooks", canonical(document))

    def remove_webhook(self, identifier: str) -> None:
        """Tell it no more."""
        self.delete(f"{_API}/webhooks/{_quoted(identifier)}")

    def test_webhook(self, identifier: str) -> JsonObject:
        """Have it told that it is tried; the answer says whether it took that."""
        return self.post(f"{_API}/webhooks/{_quoted(identifier)}/test", b"{}")


def _quoted(text: str) -> str:
    """One part of a path, whatever the text; a dot alone would be understood as a way out."""
    return quote(text, safe="").replace(".", "%2E")
