"""Capabilities and signatures: whole definitions, their digests, and sets without doubles."""

import hashlib

import pytest

from avow.core.canonical import JsonObject, JsonValue, digest, digest_of
from avow.core.capability import Capability, Kind, Signature
from avow.errors import DeclarationError

READ: JsonObject = {
    "name": "read_file",
    "description": "Reads a file. Ü",
    "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}},
    "annotations": {"readOnlyHint": True},
    "x-unknown": [1, 2.0],
}
NAMES = {Kind.TOOL: "name", Kind.PROMPT: "name", Kind.RESOURCE: "uri", Kind.TEMPLATE: "uriTemplate"}


def named(kind: Kind, name: str, **members: JsonValue) -> Capability:
    return Capability.read(kind, {NAMES[kind]: name, **members})


def one_of_each() -> list[Capability]:
    return [named(kind, f"{kind}-{number}") for kind in Kind for number in range(3)]


@pytest.mark.parametrize(
    ("kind", "collection", "identifier", "method"),
    [
        (Kind.TOOL, "tools", "name", "tools/list"),
        (Kind.PROMPT, "prompts", "name", "prompts/list"),
        (Kind.RESOURCE, "resources", "uri", "resources/list"),
        (Kind.TEMPLATE, "resourceTemplates", "uriTemplate", "resources/templates/list"),
    ],
)
def test_the_protocol_has_its_own_words_for_each_kind(
    kind: Kind, collection: str, identifier: str, method: str
) -> None:
    """The member of a list, the member that names, the request that lists."""
    assert (kind.collection, kind.identifier, kind.list_method) == (collection, identifier, method)


@pytest.mark.parametrize("kind", Kind)
def test_a_capability_is_its_whole_definition(kind: Kind) -> None:
    """Members that nobody knows are part of the digest."""
    definition = {NAMES[kind]: "here", "x-unknown": {"deep": [1]}}

    capability = Capability.read(kind, definition)

    assert (capability.kind, capability.name, capability.definition) == (kind, "here", definition)
    assert capability.digest == digest(definition)
    assert capability.digest != named(kind, "here", **{"x-unknown": {"deep": [2]}}).digest


@pytest.mark.parametrize("definition", [None, "read_file", ["name"], 1])
def test_an_entry_that_is_no_object_is_refused(definition: JsonValue) -> None:
    """The error names the list that it is in."""
    with pytest.raises(DeclarationError, match="an entry of prompts is not an object"):
        Capability.read(Kind.PROMPT, definition)


@pytest.mark.parametrize("name", [None, "", 1, ["a"]])
def test_an_entry_without_a_name_is_refused(name: JsonValue) -> None:
    """Nor will the name of another kind do."""
    with pytest.raises(DeclarationError, match="an entry of resources has no uri"):
        Capability.read(Kind.RESOURCE, {"uri": name, "name": "x"})
    with pytest.raises(DeclarationError, match="an entry of resources has no uri"):
        Capability.read(Kind.RESOURCE, {"name": "x"})


def test_components_are_digests_of_the_parts() -> None:
    """The description by its raw bytes, the rest canonical, and only what is there."""
    components = Capability.read(Kind.TOOL, READ).components

    assert components == {
        "description": digest_of("Reads a file. Ü".encode()),
        "inputSchema": digest({"properties": {"path": {"type": "string"}}, "type": "object"}),
        "annotations": digest({"readOnlyHint": True}),
    }


@pytest.mark.parametrize("members", [{}, {"description": None}, {"description": ["a"]}])
def test_no_description_counts_as_an_empty_one(members: JsonObject) -> None:
    """Absent, or nothing that a model would read."""
    components = named(Kind.TOOL, "a", outputSchema=True, **members).components

    empty = "sha256:" + hashlib.sha256(b"").hexdigest()
    assert components == {"description": empty, "outputSchema": digest(True)}


def test_a_signature_can_be_recomputed_from_its_parts() -> None:
    """By anyone who has RFC 8785 and SHA-256, from names and digests alone."""
    tool, template = Capability.read(Kind.TOOL, READ), named(Kind.TEMPLATE, "file:///{path}")

    assert Signature.of([template, tool]).digest == digest(
        {
            "tools": {"read_file": tool.digest},
            "prompts": {},
            "resources": {},
            "resourceTemplates": {"file:///{path}": template.digest},
        }
    )


def test_the_digest_of_a_signature_does_not_depend_on_order() -> None:
    """Neither of the capabilities nor of their members."""
    there = Signature.of([*one_of_each(), Capability.read(Kind.TOOL, READ)])
    back = Signature.of([Capability.read(Kind.TOOL, dict(reversed(READ.items()))), *reversed(one_of_each())])

    assert there.digest == back.digest
    assert there == back


def test_every_capability_counts() -> None:
    """One less, one of another kind or one with another definition is another signature."""
    everything = one_of_each()
    digests = {Signature.of(everything).digest, Signature().digest}
    for index, capability in enumerate(everything):
        rest = everything[:index] + everything[index + 1 :]
        digests.add(Signature.of(rest).digest)
        digests.add(Signature.of([*rest, named(capability.kind, capability.name, x=1)]).digest)

    assert len(digests) == 2 + 2 * len(everything)


def test_two_of_one_kind_with_one_name_are_refused() -> None:
    """Even when they are alike: a client would take one, we the other."""
    tool = Capability.read(Kind.TOOL, READ)

    with pytest.raises(DeclarationError, match="two tools are called 'read_file'"):
        Signature.of([tool, named(Kind.PROMPT, "read_file"), tool])


def test_two_kinds_may_share_a_name() -> None:
    """They are asked for by different requests."""
    signature = Signature.of([named(Kind.TOOL, "a"), named(Kind.PROMPT, "a")])

    assert signature.of_kind(Kind.TOOL).keys() == signature.of_kind(Kind.PROMPT).keys() == {"a"}


def test_a_signature_lists_its_capabilities_kind_by_kind() -> None:
    """Within a kind as they came."""
    capabilities = one_of_each()

    assert list(Signature.of(reversed(capabilities))) == [
        capability for kind in Kind for capability in reversed(capabilities) if capability.kind is kind
    ]
    assert [list(Signature.of(capabilities).of_kind(kind).values()) for kind in Kind] == [
        capabilities[start : start + 3] for start in (0, 3, 6, 9)
    ]
