"""An approval that is recalled, and a registry that tells another history: each is a refusal."""

import json
import shutil
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from gateway_helpers import running as gateway
from registry_running import program
from test_registry_approvals import WIDER, Team

PING = {"jsonrpc": "2.0", "id": 9, "method": "ping"}


def until(condition: Callable[[], bool]) -> None:
    """Wait until something is so, but not for ever."""
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_gateway_ends_what_is_no_longer_approved(tmp_path: Path) -> None:
    """The session, the process behind it and the path: all that goes on is what people approve today."""
    with program(tmp_path) as registry:
        team = Team(tmp_path / "team", registry, "io.github.recalled")
        team.decide("approve", "1.0.0", "fine")
        with gateway(team.project, *team.held, "--ask-again", "1") as served:
            session = served.shake_hands("files")
            assert served.post("files", PING, Mcp_Session_Id=session).status == 200
            team.decide("reject", "1.0.0", "a hole was found")

            until(lambda: served.post("files", PING, Mcp_Session_Id=session).status == 404)
            until(lambda: served.children() == [])
            refused = served.post("files", {**PING, "method": "initialize", "params": {}})

            assert refused.status == 502
            assert "is rejected in production" in refused.error["message"]
            assert "a hole was found" in refused.error["message"]
            assert served.request("GET", "/healthz").status == 200


def test_a_gateway_serves_what_is_approved_and_says_why_the_rest_is_not(tmp_path: Path) -> None:
    """One rejected server is no reason to stop the others."""
    with program(tmp_path) as registry:
        team = Team(tmp_path / "team", registry, "io.github.mixed")
        team.project.lock("wider", *team.project.serve(WIDER, "wider"))
        key = ("--version", "1", "--as", "io.github.mixed/wider", "--key", "owner.key")
        team.avow("registry", "publish", "wider", *key)
        team.decide("approve", "1.0.0", "fine")
        no = ("--environment", "production", "--reason", "a shell?")
        team.avow("registry", "reject", "io.github.mixed/wider", "1", *no)
        names = ("--as", f"files={team.name}", "--as", "wider=io.github.mixed/wider")

        with gateway(team.project, *team.held[:4], *names) as served:
            refused = served.post("wider", {**PING, "method": "initialize", "params": {}})

            assert served.shake_hands("files")
            assert refused.status == 502
            assert "(a shell?)" in refused.error["message"]
        alone = team.avow("gateway", *team.held[:4], *names[2:], "wider", code=1)
        assert "wider is not served: io.github.mixed/wider 1 is rejected in production" in alone.stderr


def test_a_gateway_whose_registry_is_gone_goes_on_with_what_was_verified(tmp_path: Path) -> None:
    """In its place somebody takes every connection, and closes it without a word."""
    with ExitStack() as stack:
        with program(tmp_path) as registry:
            team = Team(tmp_path / "team", registry, "io.github.gone")
            team.decide("approve", "1.0.0", "fine")
            served = stack.enter_context(gateway(team.project, *team.held, "--ask-again", "1"))
        port = int(team.url.rpartition(":")[2])
        silent = stack.enter_context(socket.create_server(("127.0.0.1", port)))
        silent.settimeout(30)
        for _ in range(2):
            silent.accept()[0].close()

        assert served.shake_hands("files")


def test_what_was_recalled_rolled_back_or_forked_is_refused(tmp_path: Path) -> None:
    with program(tmp_path) as registry:
        team = Team(tmp_path / "team", registry, "io.github.owner")
        team.decide("approve", "1.0.0", "fine")
        team.check()
    address = ("--listen", team.url.removeprefix("http://"))
    shutil.copytree(tmp_path / "data", tmp_path / "older")

    with program(tmp_path, *address, token=team.token):
        team.decide("reject", "1.0.0", "a hole was found")
    assert "this was verified" in team.check()
    with program(tmp_path, *address, token=team.token):
        assert "is rejected in production" in team.check(code=1)
    recalled = team.answer(code=1)["registry"]
    assert (recalled["state"], recalled["offline"]) == ("rejected", True)

    shutil.rmtree(tmp_path / "data")
    (tmp_path / "older").rename(tmp_path / "data")
    with program(tmp_path, *address, token=team.token):
        assert "had 4 entries, now shows 3" in team.check(code=2)
        team.decide("approve", "1.0.0", "fine again")
        assert "has two different logs of 4 entries" in team.check(code=2)
        team.decide("approve", "1.0.0", "fine once more")
        longer = json.loads(team.avow("check", *team.held, "--format", "json", code=2).stdout)
        assert "cannot prove that its 5 entries begin with the 4 known ones" in longer["error"]["message"]
    assert "rejected" in team.answer(code=1)["registry"]["message"]
