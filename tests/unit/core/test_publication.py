"""What a publisher signs: names and versions that can stand in an address, and a snapshot that is checked."""

import pytest

from avow.core.canonical import canonical, digest, parse_json
from avow.core.capability import Capability, Kind, Signature
from avow.core.publication import (
    MAX_CAPABILITIES,
    MAX_PAYLOAD,
    ServerName,
    publication_payload,
    read_namespace,
    read_publication,
    read_version,
    read_watched,
)
from avow.core.snapshot import Era, Snapshot
from avow.core.target import read_target
from avow.errors import MalformedInputError

NAME = ServerName("io.github.owner", "files")
SHOWN = Snapshot(
    target=read_target({"type": "stdio", "command": "files", "args": [], "env": []}),
    server={"name": "files", "version": "1"},
    protocol_version="2025-11-25",
    era=Era.LEGACY,
    capabilities={},
    signature=Signature.of([Capability.read(Kind.TOOL, {"name": "read"})]),
)


def test_what_is_written_is_read() -> None:
    """The same name, version and snapshot; the digest is that of all three."""
    payload = publication_payload(NAME, "1.0.0", SHOWN)

    publication = read_publication(payload)

    assert (publication.name, publication.version, publication.snapshot) == (NAME, "1.0.0", SHOWN)
    assert publication.content == digest(parse_json(payload))
    assert str(publication.name) == "io.github.owner/files"


@pytest.mark.parametrize("text", ["io.github.owner/files", "a/b", "com.example.x-1/My_server.v2", "0/0"])
def test_names_are_taken_apart(text: str) -> None:
    assert str(ServerName.read(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "files",
        "/files",
        "io.github.owner/",
        "io/github/owner",
        "../x",
        "io..github/x",
        "io.github./x",
        "a/..",
        "a/.b",
        "a/b.",
        "a/b c",
        "a/b%2e",
        "a/b\n",
        "a\0/b",
        "ä/b",
        "-a/b",
        "a/" + "b" * 200,
    ],
)
def test_what_could_climb_out_of_an_address_is_no_name(text: str) -> None:
    with pytest.raises(MalformedInputError, match="is not the name of a server"):
        ServerName.read(text)


def test_namespaces_are_the_first_part_of_a_name() -> None:
    assert read_namespace("io.github.owner") == "io.github.owner"
    for text in ("", "a/b", "a..b", "x" * 200):
        with pytest.raises(MalformedInputError, match="is not a namespace"):
            read_namespace(text)


def test_a_server_or_a_whole_namespace_is_watched() -> None:
    assert [read_watched(each) for each in ("a.b/c", "a.b/*")] == ["a.b/c", "a.b/*"]
    for text in ("a.b", "*", "*/*", "../*", "a.b/c/*", "a.b/**"):
        with pytest.raises(MalformedInputError):
            read_watched(text)


@pytest.mark.parametrize("text", ["1", "1.0.0", "2025.1.14", "1.0.0-beta.2+build-5", "v1_2"])
def test_versions_are_taken_as_they_are(text: str) -> None:
    assert read_version(text) == text


@pytest.mark.parametrize(
    "text", ["", "latest", "../1", "1..0", ".1", "1.", "1/2", "1 0", "1\n", "^1", "1" * 129]
)
def test_what_cannot_be_a_version_is_refused(text: str) -> None:
    with pytest.raises(MalformedInputError, match="is not a version"):
        read_version(text)


def test_a_publication_has_three_members() -> None:
    """More are kept and count: they were signed too."""
    document = parse_json(publication_payload(NAME, "1.0.0", SHOWN))
    assert read_publication(canonical({**document, "note": 1})).content != digest(document)
    for member in ("name", "version", "snapshot"):
        rest = {name: value for name, value in document.items() if name != member}
        with pytest.raises(MalformedInputError, match="has a name, a version and a snapshot"):
            read_publication(canonical(rest))
    with pytest.raises(MalformedInputError, match="has a name, a version and a snapshot"):
        read_publication(b"[]")


def test_a_digest_that_does_not_fit_is_refused() -> None:
    document = parse_json(publication_payload(NAME, "1.0.0", SHOWN))
    document["snapshot"]["tools"][0]["definition"]["description"] = "Another."
    with pytest.raises(MalformedInputError, match="does not fit"):
        read_publication(canonical(document))


def test_sizes_are_bounded() -> None:
    """Bytes before anything is read, and entries before anything is hashed."""
    with pytest.raises(MalformedInputError, match=f"{MAX_PAYLOAD} is the limit"):
        read_publication(b" " * (MAX_PAYLOAD + 1))
    document = parse_json(publication_payload(NAME, "1.0.0", SHOWN))
    document["snapshot"]["tools"] = [0] * (MAX_CAPABILITIES + 1)
    with pytest.raises(MalformedInputError, match="the snapshot lists 10001 things"):
        read_publication(canonical(document))
