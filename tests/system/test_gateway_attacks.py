"""Peers of the gateway that would harm others: what one of them does, the others must not notice."""

import sys
import threading
from collections.abc import Iterator

import pytest

from connect_helpers import SERVERS
from gateway_helpers import Answer, Gateway, eventually, running
from project import Project

TOKENS = ("a-token-of-one-client", "a-token-of-another-one")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("gateway"))
    project.lock("loose", sys.executable, str(SERVERS / "loose.py"))
    project.lock("both", sys.executable, str(SERVERS / "both.py"))
    (project.directory / "tokens").write_text("\n".join(TOKENS), encoding="utf-8")
    return project


@pytest.fixture(scope="module")
def gateway(project: Project) -> Iterator[Gateway]:
    files = ("--token-file", "tokens", "--log", str(project.directory / "events"))
    with running(project, *files) as gateway:
        yield gateway


def call(gateway: Gateway, tool: str, text: str = "", *, token: str = TOKENS[0]) -> Answer:
    headers = {"Authorization": f"Bearer {token}"}
    return gateway.ask("loose", "tools/call", headers=headers, name=tool, arguments={"text": text})


def waiting(gateway: Gateway, token: str) -> tuple[threading.Thread, list[Answer]]:
    """A call that is under way when this returns."""
    answers: list[Answer] = []
    thread = threading.Thread(target=lambda: answers.append(call(gateway, "wait", token=token)))
    thread.start()
    mark = 'avow_gateway_streams{server="loose"} 1'
    assert eventually(lambda: mark in gateway.metrics(Authorization=f"Bearer {TOKENS[0]}"))
    return thread, answers


def test_what_a_server_says_late_reaches_nobody_with_another_token(
    project: Project, gateway: Gateway
) -> None:
    """The call that the words are about is over: only one request is under way, but it is another's."""
    thread, answers = waiting(gateway, TOKENS[1])
    call(gateway, "late", "a secret", token=TOKENS[0])
    thread.join()

    assert b"waited" in answers[0].body
    assert b"a secret" not in answers[0].body
    assert "notification_dropped" in (project.directory / "events").read_text(encoding="utf-8")
