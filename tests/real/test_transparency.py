"""Real clients talk to real servers directly, through `avow run` and through `avow gateway`: all the same."""

import os
import re

import pytest

from real.accounts import differences
from real.conversations import CLIENTS, Conversations

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(os.environ.get("AVOW_REAL") != "1", reason="AVOW_REAL is not 1"),
]

SERVERS = ("everything", "filesystem", "memory", "git", "workshop", "everything-http")
# It takes seconds to start, so not every client gets to talk to it.
SLOW = [("excel", client) for client in ("python, auto", "typescript 1", "typescript 2, auto")]


@pytest.mark.parametrize(
    ("server", "client"), [*((server, client) for server in SERVERS for client in CLIENTS), *SLOW]
)
def test_a_client_cannot_tell_that_avow_is_there(
    server: str, client: str, conversations: Conversations
) -> None:
    accounts = conversations.between(client, server)
    compared = {route: {**account, "asides": {}} for route, account in accounts.items()}
    direct = compared.pop("direct")

    assert direct["steps"]
    for route, held in compared.items():
        found = differences(held, direct)
        assert not found, "\n".join([f"through {route}:", *found])


@pytest.mark.parametrize(
    ("aside", "route"),
    [
        ("cancelled", "run"),
        ("refused", "run"),
        pytest.param(
            "cancelled",
            "gateway",
            marks=pytest.mark.xfail(reason="the gateway answers what was cancelled with -32800"),
        ),
        pytest.param(
            "refused",
            "gateway",
            marks=pytest.mark.xfail(reason="the gateway refuses the newer era itself, with -32022"),
        ),
    ],
)
def test_what_no_client_acts_on_is_the_same_too(aside: str, route: str, conversations: Conversations) -> None:
    accounts = conversations.between("python, auto", "everything")

    assert not differences(accounts[route]["asides"][aside], accounts["direct"]["asides"][aside])


@pytest.mark.parametrize("client", ["python, auto", "typescript 2, auto"])
@pytest.mark.parametrize("server", ["excel", "workshop"])
def test_newer_clients_and_servers_meet_in_the_newer_era(
    server: str, client: str, conversations: Conversations
) -> None:
    accounts = conversations.between(client, server)

    assert {account["facts"]["version"] for account in accounts.values()} == {"2026-07-28"}


@pytest.mark.parametrize("client", CLIENTS)
def test_a_conversation_has_what_it_is_compared_by(client: str, conversations: Conversations) -> None:
    """Two empty accounts would be equal too."""
    everything = conversations.between(client, "everything")["gateway"]
    workshop = conversations.between(client, "workshop")["gateway"]

    methods = {method for method, _ in everything["said"]}
    assert methods >= {
        "elicitation/create",
        "notifications/message",
        "notifications/progress",
        "notifications/resources/updated",
        "notifications/tools/list_changed",
        "roots/list",
        "sampling/createMessage",
    }
    assert everything["abandoned"] == workshop["abandoned"] == ["tools/call"]
    assert [each["progress"] for each in workshop["progress"]] == [1, 2, 3, 4]
    words = str(everything["answers"]) + str(workshop["answers"])
    assert all(re.search(each, words) for each in ("structuredContent", "'image'", "'isError': True"))
    assert "'cancelled'" in words
    assert "accept: {'name': 'Ada', 'wood': 'ash'}" in words
