"""`avow registry` as people use it: a program that serves, and commands that ask it."""

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import httpx
import pytest
from mcp import Client

from avow.system.snapshots import write_snapshot
from registry_running import DELETE, NAME, READ, Program, envelope, program
from small_server import snapshot


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("registry")
    write_snapshot(directory / "one.json", snapshot([READ]))
    write_snapshot(directory / "two.json", snapshot([READ, DELETE]))
    return directory


@pytest.fixture(scope="module")
def served(place: Path) -> Iterator[Program]:
    """A registry in which one server has two versions, published from the command line."""
    with program(place) as registry:
        registry.avow("keygen", "--out", place / "files.key")
        registry.avow("registry", "namespace", "claim", "io.github.owner", "--key", place / "files.key.pub")
        for version, file in (("1.0.0", "one.json"), ("1.1.0", "two.json")):
            said = publish(registry, place, file, version)
            assert f"{NAME} {version} published: sha256:" in said
        yield registry


@pytest.fixture(scope="module")
def slow(served: Program) -> Iterator[list[socket.socket]]:
    """Sixty connections that send the beginning of a header, and no more."""
    where = urlsplit(served.url)
    connections = [socket.create_connection((where.hostname or "", where.port or 0)) for _ in range(60)]
    for each in connections:
        each.sendall(b"POST /api/v1/publish HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
    yield connections
    for each in connections:
        each.close()


def publish(registry: Program, place: Path, file: str, version: str, code: int = 0) -> str:
    key = ("--key", place / "files.key")
    return registry.avow(
        "registry", "publish", place / file, "--version", version, "--as", NAME, *key, code=code
    )


@pytest.mark.usefixtures("slow")
def test_what_was_published_can_be_found_followed_and_verified(served: Program, place: Path) -> None:
    history = served.avow("registry", "history", NAME)
    found = served.avow("registry", "search", "--argument", "path:string", "--risk", "high")
    servers = json.loads(served.avow("registry", "search", "--servers", "files", "--format", "json"))
    like = served.avow("registry", "search", "--like", place / "one.json")
    verified = json.loads(served.avow("registry", "verify", place / "one.json", "--format", "json"))

    assert history.splitlines()[0].startswith("1.1.0")
    assert "critical  tool delete_file" in history
    assert "delete_file  (high)" in found
    assert servers["servers"][0]["name"] == NAME
    assert NAME in like
    assert verified["valid"]
    assert verified["servers"][str(place / "one.json")]["publications"][0]["version"] == "1.0.0"


def test_the_whole_log_is_audited_from_outside(served: Program, place: Path) -> None:
    """By somebody who has no lockfile and no token; one changed byte of the database would be noticed."""
    asked = ("registry", "verify", "--whole", "--lockfile", place / "none.lock")

    answer = json.loads(served.avow(*asked, "--format", "json", AVOW_REGISTRY_TOKEN=""))
    said = served.avow(*asked)

    log = answer["log"]
    assert sum(log["entries"].values()) == log["size"] >= 3
    assert log["entries"]["publication"] >= 2
    assert "every entry was read, and leads to the signed root" in said


def test_publishing_again_is_fine_and_other_content_is_not(served: Program, place: Path) -> None:
    assert "was published before" in publish(served, place, "one.json", "1.0.0")
    assert "another content" in publish(served, place, "two.json", "1.0.0", code=2)


def test_nothing_found_is_not_a_failure_to_look(served: Program, place: Path) -> None:
    write_snapshot(place / "unknown.json", snapshot([{**READ, "title": "Never published"}]))

    served.avow("registry", "search", "--tool", "no_such_tool", code=1)
    served.avow("registry", "search", "--servers", "--namespace", "io.nobody", code=1)
    refused = served.avow("registry", "search", "--servers", "--risk", "low", "files", code=2)
    assert "--servers looks for words and a namespace" in refused
    served.avow("registry", "verify", place / "unknown.json", code=1)
    served.avow("registry", "history", "io.github.owner/nothing", code=2)
    served.avow("registry", "search", "read", code=2, AVOW_REGISTRY="http://127.0.0.1:9")
    failure = json.loads(served.avow("registry", "search", "--format", "json", code=2))
    assert "say what to look for" in failure["error"]["message"]


def test_two_people_have_to_agree_where_that_is_asked_for(served: Program) -> None:
    served.avow("registry", "environment", "guarded", "--needed", "2")
    ada, grace = (
        served.avow("registry", "token", "add", name, "--role", "approve").strip()
        for name in ("Ada", "Grace")
    )
    decision = ("registry", "approve", NAME, "1.0.0", "--environment", "guarded", "--reason", "read it")

    first = served.avow(*decision, AVOW_REGISTRY_TOKEN=ada)
    second = served.avow(*decision, AVOW_REGISTRY_TOKEN=grace)
    third = served.avow("registry", "reject", *decision[2:], AVOW_REGISTRY_TOKEN=grace)

    assert "is pending in guarded (1 of 2 approve)" in first
    assert "is approved in guarded (2 of 2 approve)" in second
    assert "is rejected in guarded" in third
    history = served.avow("registry", "history", NAME)
    assert "    approved in guarded by Ada on " in history
    assert history.index("approved in guarded by Grace") < history.index("rejected in guarded by Grace")
    refused = served.avow("registry", "token", "list", code=2, AVOW_REGISTRY_TOKEN=ada)
    assert "does not allow this" in refused


def test_a_token_is_kept_where_secrets_are(served: Program) -> None:
    import subprocess
    import sys

    kept = subprocess.run(
        [sys.executable, "-m", "avow", "registry", "token", "keep", "--registry", served.url],
        input=served.token,
        capture_output=True,
        text=True,
        timeout=60,
        env=dict(served.environment),
    )

    assert kept.returncode == 0, kept.stderr
    assert served.token not in kept.stdout
    assert "administrator" in served.avow("registry", "token", "list", AVOW_REGISTRY_TOKEN="")


def test_keys_are_replaced_by_their_holder(served: Program, place: Path) -> None:
    old, new = place / "old.key", place / "new.key"
    for key in (old, new):
        served.avow("keygen", "--out", key)
    served.avow("registry", "namespace", "claim", "io.github.turning", "--key", f"{old}.pub")

    change = ("--add", f"{new}.pub", "--revoke", f"{old}.pub", "--key", old)
    said = served.avow("registry", "namespace", "keys", "io.github.turning", *change, AVOW_REGISTRY_TOKEN="")

    assert said.count("revoked") == 1
    assert said.count("active") == 1


def test_agents_ask_over_mcp_and_the_endpoint_declares_itself(served: Program) -> None:
    """What a model reads holds no word that a server wrote about itself."""

    async def talk() -> list[str]:
        with anyio.fail_after(60):
            async with Client(f"{served.url}/mcp") as client:
                answers = [
                    await client.call_tool("search", {"argument": "path:string"}),
                    await client.call_tool("get_signature", {"name": NAME}),
                    await client.call_tool("compare", {"name": NAME, "before": "1.0.0"}),
                    await client.call_tool("is_approved", {"name": NAME, "environment": "production"}),
                ]
                return [each.content[0].text for each in answers]  # type: ignore[union-attr]

    search, signature, compared, approved = anyio.run(talk)
    seen = served.avow("inspect", f"{served.url}/mcp", "--format", "json")

    assert {each["name"] for each in json.loads(search)["capabilities"]} == {"read_file", "delete_file"}
    assert [each["risk"] for each in json.loads(signature)["capabilities"]] == ["high", "medium"]
    assert json.loads(compared)["highest"] == "critical"
    assert json.loads(approved)["state"] == "pending"
    assert DELETE["description"] not in search + signature + compared + approved
    assert json.loads(seen)["source"] == "declared"


def test_a_gigabyte_is_cut_off_at_the_limit(served: Program) -> None:
    where = urlsplit(served.url)
    head = (
        "POST /api/v1/publish HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {served.token}\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    sent = 0
    with socket.create_connection((where.hostname or "", where.port or 0), timeout=20) as connection:
        connection.sendall(head.encode())
        piece = b"100000\r\n" + bytes(2**20) + b"\r\n"
        try:
            while sent < 1024:
                connection.sendall(piece)
                sent += 1
        except OSError:
            pass
    assert sent < 100
    assert httpx.get(f"{served.url}/healthz", timeout=5).status_code == 200


def test_a_backup_taken_while_it_runs_is_a_whole_registry(served: Program, place: Path) -> None:
    """Publications go on meanwhile; what the copy holds is consistent, and its log goes on from there."""
    headers = {"authorization": f"Bearer {served.token}", "content-type": "application/json"}

    def add(number: int) -> int:
        data = envelope(f"1.{number}.0", name="io.github.busy/server")
        return httpx.post(
            f"{served.url}/api/v1/publish", content=data, headers=headers, timeout=30
        ).status_code

    with ThreadPoolExecutor(4) as pool:
        added = [pool.submit(add, number) for number in range(20)]
        served.avow("registry", "backup", place / "copy.tar", "--data", place / "data")
        assert {each.result() for each in added} == {201}
    served.avow("registry", "backup", place / "copy.tar", "--data", place / "data", code=2)
    assert (place / "copy.tar").stat().st_mode & 0o777 == 0o600
    restored = place / "restored"
    restored.mkdir()
    served.avow("registry", "restore", place / "copy.tar", "--data", restored / "data")
    with program(restored, token=served.token) as copy:
        assert copy.token == served.token
        assert "1.1.0" in copy.avow("registry", "history", NAME)
        assert "was published before" in publish(copy, place, "one.json", "1.0.0")
        assert "published: sha256:" in publish(copy, place, "one.json", "1.9.0")


def test_somebody_who_sends_a_header_a_minute_is_not_waited_for(slow: list[socket.socket]) -> None:
    """They were connected all the while that others were answered, and have been closed."""
    for each in slow:
        each.settimeout(20)
        assert each.recv(1000) == b""


def test_the_token_is_shown_at_the_first_start_only_and_the_end_is_orderly(tmp_path: Path) -> None:
    with program(tmp_path, "--private") as first:
        assert first.token.startswith("avow_")
        assert httpx.get(f"{first.url}/api/v1/servers").status_code == 401
        assert httpx.post(f"{first.url}/mcp", json={}).status_code == 401
    with program(tmp_path) as second:
        assert second.token == ""
        health = httpx.get(f"{second.url}/healthz")
        metrics = httpx.get(f"{second.url}/metrics").text
    assert health.json() == {"status": "ok"}
    assert 'avow_registry_requests_total{method="GET",route="/healthz",status="200"} 1' in metrics
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [line["path"] for line in lines] == ["/healthz", "/metrics"]
    assert first.token not in (tmp_path / "log").read_text()


def test_without_the_key_of_the_log_it_reads_and_does_not_write(tmp_path: Path) -> None:
    write_snapshot(tmp_path / "one.json", snapshot([READ]))
    with program(tmp_path) as registry:
        registry.avow("keygen", "--out", tmp_path / "files.key")
        publish(registry, tmp_path, "one.json", "1.0.0")
        token = registry.token
        lines = tmp_path / "export.jsonl"
        registry.avow("registry", "export", lines, "--data", tmp_path / "data")
        assert lines.stat().st_mode & 0o777 == 0o600
        assert "2 new" in registry.avow("registry", "import", lines, "--data", tmp_path / "other")
    (tmp_path / "data" / "log.key").rename(tmp_path / "lost.key")

    with program(tmp_path, token=token) as registry:
        assert "1.0.0" in registry.avow("registry", "history", NAME)
        refused = publish(registry, tmp_path, "one.json", "1.1.0", code=2)
        health = httpx.get(f"{registry.url}/healthz")

    assert "the key that signs the log is not there" in refused
    assert health.status_code == 503
