"""The lockfile as bytes that a person reviews, and as a value that nobody edited."""

import json
from dataclasses import replace

import pytest

from avow.core.artifact import Artifact
from avow.core.canonical import JsonObject
from avow.core.capability import Capability, Kind, Signature
from avow.core.lockfile import Entry, Lockfile, dumps, loads
from avow.core.snapshot import Era, Snapshot
from avow.core.target import StdioTarget
from avow.errors import LockfileError


def demo(*tools: JsonObject) -> Snapshot:
    signature = Signature.of(Capability.read(Kind.TOOL, tool) for tool in tools)
    return Snapshot(StdioTarget("demo"), {"name": "demo"}, "2025-11-25", Era.LEGACY, {}, signature)


ECHO: JsonObject = {"name": "echo", "description": "Say it again."}
ADD: JsonObject = {"name": "add", "description": "Add two numbers."}
LOCKFILE = Lockfile({"demo": Entry(demo(ECHO, ADD), Artifact("npm", "demo", "1.0.0", "sha512-AA=="))})


def test_the_file_is_made_to_be_read_in_a_pull_request() -> None:
    """Keys sorted, two spaces, capabilities by name, one newline at the end."""
    data = dumps(LOCKFILE)

    document = json.loads(data)
    assert document["lockfileVersion"] == 1
    assert [tool["name"] for tool in document["servers"]["demo"]["tools"]] == ["add", "echo"]
    assert document["servers"]["demo"]["artifact"] == {
        "type": "npm",
        "name": "demo",
        "version": "1.0.0",
        "integrity": "sha512-AA==",
    }
    assert data.decode() == json.dumps(document, indent=2, sort_keys=True) + "\n"


def test_a_lockfile_reads_back() -> None:
    assert loads(dumps(LOCKFILE)) == LOCKFILE
    assert dumps(loads(dumps(LOCKFILE))) == dumps(LOCKFILE)


def test_the_order_in_which_servers_and_tools_came_leaves_no_trace() -> None:
    other = Lockfile({"z": Entry(demo()), "demo": Entry(demo(ADD, ECHO))})
    again = Lockfile({"demo": Entry(demo(ECHO, ADD)), "z": Entry(demo())})

    assert dumps(other) == dumps(again)


def test_approving_keeps_what_a_later_version_wrote() -> None:
    """Unknown members of the entry stay; what was about a tool that is gone, or about the old look, goes."""
    marked = replace(
        demo(ECHO, ADD),
        extra={
            "ticket": 7,
            "incomplete": ["resources"],
            "tools": {"echo": {"by": "me"}, "add": {"by": "you"}},
        },
    )
    before = Lockfile({"demo": Entry(marked), "other": Entry(demo())}, {"team": "x"})

    after = before.approve("demo", demo(ECHO), Artifact("npm", "demo", "2.0.0"))

    assert after.extra == {"team": "x"}
    assert after.servers["other"] == before.servers["other"]
    assert after.servers["demo"].snapshot.extra == {"ticket": 7, "tools": {"echo": {"by": "me"}}}
    assert after.servers["demo"].artifact == Artifact("npm", "demo", "2.0.0")
    assert loads(dumps(after)) == after


def test_approving_a_new_server_adds_it() -> None:
    assert Lockfile().approve("demo", demo(ECHO)) == Lockfile({"demo": Entry(demo(ECHO))})


def test_all_marks_of_gone_tools_leave_nothing_behind() -> None:
    marked = replace(demo(ECHO), extra={"tools": {"echo": {"by": "me"}}})

    after = Lockfile({"demo": Entry(marked)}).approve("demo", demo(ADD))

    assert after.servers["demo"].snapshot.extra == {}


def test_a_hidden_character_in_a_description_is_visible_in_the_file() -> None:
    """Text in any script stays readable; what a diff would not show is written as an escape."""
    sly = Lockfile(
        {"demo": Entry(demo({"name": "echo", "description": "Größe 日本 \u202e\u200b\U000e0041"}))}
    )

    text = dumps(sly).decode()

    assert "Größe 日本 \\u202e\\u200b\\udb40\\udc41" in text
    assert loads(dumps(sly)) == sly


def edited(**members: object) -> bytes:
    return json.dumps({**json.loads(dumps(LOCKFILE)), **members}).encode()


@pytest.mark.parametrize(
    ("data", "complaint", "hint"),
    [
        pytest.param(b"", "not valid", "version control", id="empty"),
        pytest.param(dumps(LOCKFILE)[:-9], "not valid", "version control", id="truncated"),
        pytest.param(b'{"lockfileVersion": 1, "lockfileVersion": 1}', "twice", "control", id="duplicate key"),
        pytest.param(
            b"<<<<<<< HEAD\n{}\n=======\n>>>>>>> theirs\n", "not valid", "merge conflict", id="conflict"
        ),
        pytest.param(b"[]", "not a lockfile", "version control", id="no object"),
        pytest.param(edited(lockfileVersion=2), "version 2", "upgrade Avow", id="newer"),
        pytest.param(edited(lockfileVersion=0), "no valid version", "control", id="version zero"),
        pytest.param(edited(lockfileVersion=True), "not a lockfile", "control", id="boolean version"),
        pytest.param(edited(servers=[]), "no list of servers", "control", id="servers are no object"),
        pytest.param(
            edited(servers={"demo": 1}), "server 'demo'", "avow inspect", id="an entry is no object"
        ),
        pytest.param(
            dumps(LOCKFILE).replace(b"again", b"twice"), "digest of tool 'echo'", "edited", id="edited"
        ),
        pytest.param(dumps(LOCKFILE).replace(b'"sha512-AA=="', b"7"), "integrity", "control", id="artifact"),
        pytest.param(b'{"lockfileVersion": NaN}', "not valid", "version control", id="not a number"),
    ],
)
def test_a_file_that_is_not_what_it_says_is_refused_with_a_next_step(
    data: bytes, complaint: str, hint: str
) -> None:
    with pytest.raises(LockfileError, match=complaint) as caught:
        loads(data)

    assert hint in caught.value.hint
