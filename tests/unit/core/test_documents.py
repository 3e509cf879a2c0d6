"""Snapshots as documents: what is written reads back, and what was edited is refused."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from avow.core.canonical import JsonObject
from avow.core.capability import Capability, Kind, Signature
from avow.core.documents import read_snapshot_document, snapshot_document
from avow.core.snapshot import Era, Snapshot, Source, Volatile
from avow.core.target import StdioTarget
from avow.errors import MalformedInputError

READ_FILE: JsonObject = {
    "name": "read_file",
    "description": "Read a file.",
    "inputSchema": {"type": "object", "properties": {"path": {"type": "string", "default": None}}},
    "annotations": {"readOnlyHint": True},
}
PATH = "/tools/read_file/inputSchema/properties/path/default"
SNAPSHOT = Snapshot(
    target=StdioTarget("npx", ("-y", "files"), ("TOKEN",)),
    server={"name": "files", "version": "1.0.0"},
    protocol_version="2025-11-25",
    era=Era.LEGACY,
    capabilities={"tools": {}},
    signature=Signature.of(
        [
            Capability.read(Kind.TOOL, {"name": "write_file", "inputSchema": {}}),
            Capability.read(Kind.TOOL, READ_FILE),
            Capability.read(Kind.RESOURCE, {"uri": "file:///notes", "name": "Notes"}),
        ]
    ),
    instructions="Read first.",
    protocol_versions=("2025-11-25", "2025-06-18"),
    source=Source.DECLARED,
    complete=False,
    notes=("prompts were cut off",),
    volatile=(Volatile(PATH, {"at": ["number"]}),),
)


def test_the_document_has_the_shape_that_is_promised() -> None:
    """Every digest and risk level is beside what it is taken from, and names are in order."""
    document = snapshot_document(SNAPSHOT)

    assert {member: document[member] for member in document if member not in {"tools", "resources"}} == {
        "avow": 1,
        "target": {"type": "stdio", "command": "npx", "args": ["-y", "files"], "env": ["TOKEN"]},
        "server": {"name": "files", "version": "1.0.0"},
        "protocolVersion": "2025-11-25",
        "protocolVersions": ["2025-11-25", "2025-06-18"],
        "era": "legacy",
        "capabilities": {"tools": {}},
        "instructions": "Read first.",
        "configurationSchema": None,
        "source": "declared",
        "complete": False,
        "digest": SNAPSHOT.signature.digest,
        "notes": ["prompts were cut off"],
        "volatile": [PATH],
        "volatileShapes": {PATH: {"at": ["number"]}},
        "prompts": [],
        "resourceTemplates": [],
    }
    read_file, write_file = document["tools"]
    assert write_file["name"] == "write_file"
    assert read_file["definition"] == READ_FILE
    assert read_file["digest"] == SNAPSHOT.signature.tools["read_file"].digest
    assert set(read_file["components"]) == {"description", "inputSchema", "annotations"}
    assert read_file["risk"]["level"] in {"low", "medium", "high"}
    assert document["resources"][0]["name"] == "file:///notes"


def test_a_document_reads_back_as_the_snapshot_it_came_from() -> None:
    assert read_snapshot_document(snapshot_document(SNAPSHOT)) == SNAPSHOT


def test_members_of_a_later_version_are_written_again() -> None:
    """Somebody's review marks, at any level, survive being read and written by this version."""
    document = snapshot_document(SNAPSHOT)
    document["reviewedBy"] = "somebody"
    document["target"]["sandbox"] = True
    document["tools"][0]["since"] = "2026"
    document["tools"][0]["risk"]["model"] = 7

    snapshot = read_snapshot_document(copy.deepcopy(document))

    assert snapshot.extra == {
        "reviewedBy": "somebody",
        "target": {"sandbox": True},
        "tools": {"read_file": {"since": "2026", "risk": {"model": 7}}},
    }
    assert snapshot_document(snapshot) == document


def _set(*path: Any, to: Any) -> Callable[[JsonObject], None]:
    def edit(document: JsonObject) -> None:
        place: Any = document
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = to

    return edit


def _both_volatile(pointer: str) -> Callable[[JsonObject], None]:
    def edit(document: JsonObject) -> None:
        document |= {"volatile": [pointer], "volatileShapes": {pointer: "number"}}

    return edit


@pytest.mark.parametrize(
    ("edit", "complaint"),
    [
        pytest.param(_set("avow", to=2), "format 2", id="newer format"),
        pytest.param(_set("avow", to=True), "not a snapshot", id="a boolean is no format"),
        pytest.param(_set("target", to={"type": "carrier pigeon"}), "target", id="unknown target"),
        pytest.param(_set("server", to="files"), "'server'", id="server is no object"),
        pytest.param(_set("era", to="stone age"), "'era'", id="unknown era"),
        pytest.param(_set("era", to=["legacy"]), "'era'", id="era is no word"),
        pytest.param(_set("source", to=None), "'source'", id="no source"),
        pytest.param(_set("complete", to=1), "'complete'", id="complete is no boolean"),
        pytest.param(_set("instructions", to=5), "'instructions'", id="instructions are no text"),
        pytest.param(_set("notes", to=[1]), "'notes'", id="notes are no texts"),
        pytest.param(_set("tools", to={}), "'tools'", id="tools are no list"),
        pytest.param(_set("tools", 0, to="read_file"), "not an object", id="an entry is no object"),
        pytest.param(_set("tools", 0, "definition", to=None), "not an object", id="no definition"),
        pytest.param(_set("tools", 0, "name", to="write_file"), "name", id="another name"),
        pytest.param(
            _set("tools", 0, "definition", "title", to="x"), "digest of tool", id="edited definition"
        ),
        pytest.param(_set("tools", 0, "components", to=None), "'components'", id="no components"),
        pytest.param(_set("tools", 0, "components", "annotations", to="x"), "annotations", id="component"),
        pytest.param(_set("tools", 0, "risk", to="low"), "'risk'", id="risk is no object"),
        pytest.param(_set("tools", 0, "risk", "level", to="none"), "'level'", id="unknown level"),
        pytest.param(_set("tools", 0, "risk", "reasons", to="x"), "'reasons'", id="reasons are no list"),
        pytest.param(_set("digest", to="sha256:00"), "the digest", id="edited digest"),
        pytest.param(_set("tools", to=[]), "the digest", id="tool taken out"),
        pytest.param(
            _both_volatile("/tools/read_file/description"), "is listed as volatile", id="not volatile"
        ),
        pytest.param(_set("volatile", to=[]), "'volatileShapes'", id="a shape of nothing"),
        pytest.param(_set("volatileShapes", to={}), "'volatileShapes'", id="volatile without a shape"),
        pytest.param(_set("volatileShapes", to=[PATH]), "'volatileShapes'", id="shapes are no object"),
        pytest.param(_set("volatileShapes", PATH, to={"a": [1]}), "'volatileShapes'", id="no shape"),
    ],
)
def test_what_was_edited_or_is_of_another_shape_is_refused(
    edit: Callable[[JsonObject], None], complaint: str
) -> None:
    document = copy.deepcopy(snapshot_document(SNAPSHOT))
    edit(document)

    with pytest.raises(MalformedInputError, match=complaint):
        read_snapshot_document(document)


def test_something_else_is_no_snapshot() -> None:
    with pytest.raises(MalformedInputError, match="not a snapshot"):
        read_snapshot_document([1, 2, 3])
