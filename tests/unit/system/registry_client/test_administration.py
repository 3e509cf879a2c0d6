"""Which question of those who run a registry goes where."""

from collections.abc import Callable

import httpx
import pytest

from avow.errors import MalformedInputError, UsageError
from avow.system.registry_client.administration import RegistryAdministration
from small_registry import PUBLISHER

KEY = PUBLISHER.public


@pytest.mark.parametrize(
    ("question", "request_line", "sent"),
    [
        (lambda c: c.namespace("io.github.owner"), "GET namespaces/io.github.owner", ""),
        (lambda c: c.claim("io.github.owner", KEY), "POST namespaces", "-----BEGIN PUBLIC KEY-----"),
        (lambda c: c.change_keys("a", add=[KEY]), "POST namespaces/a/keys", '"revoke":[]'),
        (lambda c: c.change_keys("a", revoke=[KEY.identifier]), "POST namespaces/a/keys", KEY.identifier),
        (lambda c: c.change_keys_signed("a", b'{"payload":""}'), "POST namespaces/a/keys", '{"payload":""}'),
        (lambda c: c.tokens(), "GET tokens", ""),
        (lambda c: c.add_token("Ada", "read"), "POST tokens", '{"person":"Ada","role":"read"}'),
        (lambda c: c.revoke_token("../x"), "DELETE tokens/%2E%2E%2Fx", ""),
        (lambda c: c.set_environment("production", 2), "PUT environments/production", '{"needed":2}'),
        (lambda c: c.watches(), "GET watches", ""),
        (lambda c: c.add_watch("a/*", "critical"), "POST watches", '{"level":"critical","target":"a/*"}'),
        (lambda c: c.remove_watch("w1"), "DELETE watches/w1", ""),
        (lambda c: c.watched_changes(after=7, limit=2), "GET watches/changes?after=7&limit=2", ""),
        (lambda c: c.webhooks(), "GET webhooks", ""),
        (lambda c: c.add_webhook("https://x.example", ["a/b"], "safe"), "POST webhooks", '"targets":["a/b"]'),
        (lambda c: c.remove_webhook("w1"), "DELETE webhooks/w1", ""),
        (lambda c: c.test_webhook("w1"), "POST webhooks/w1/test", ""),
    ],
)
def test_each_question_has_its_place(
    question: Callable[[RegistryAdministration], object], request_line: str, sent: str
) -> None:
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        path = request.url.raw_path.decode().removeprefix("/api/v1/")
        asked.append(f"{request.method} {path}")
        assert sent in request.content.decode()
        return httpx.Response(200, json={})

    with RegistryAdministration("https://registry.example", over=httpx.MockTransport(answer)) as client:
        question(client)

    assert asked == [request_line]


def test_what_cannot_be_told_is_not_sent() -> None:
    """A registry would refuse it too; here the next step is named."""
    with RegistryAdministration("https://registry.example") as client:
        with pytest.raises(UsageError, match="address of the web"):
            client.add_webhook("ftp://x.example", [], "safe")
        with pytest.raises(MalformedInputError):
            client.add_webhook("https://x", ["*"], "safe")
        with pytest.raises(MalformedInputError):
            client.add_watch("*", "safe")


def test_a_namespace_cannot_lead_elsewhere() -> None:
    with RegistryAdministration("https://registry.example") as client, pytest.raises(MalformedInputError):
        client.namespace("../tokens")
