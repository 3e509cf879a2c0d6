"""What a host knows before any call: every scope, every behaviour, every risk."""

import time
from typing import Any

from avow.core.capability import Capability, Kind, Signature
from avow.core.permissions import permissions
from avow.core.risk import Level
from avow.core.variants import Trouble, Variant, select, with_variants

READING = Variant({"operation": "read"}, {"readOnlyHint": True}, ("files:read",))
DELETING = Variant({"operation": "delete"}, {"destructiveHint": True}, ("files:read", "files:delete"))
FILES = with_variants(
    {
        "name": "manage_files",
        "description": "Reads and deletes files.",
        "inputSchema": {
            "type": "object",
            "properties": {"operation": {"enum": ["read", "delete"]}},
            "required": ["operation"],
        },
    },
    [READING, DELETING],
)
TIME = {"name": "get_time", "description": "Tells the time.", "inputSchema": {"type": "object"}}
PROMPT = {"name": "greet"}


def signature(*tools: Any, prompts: Any = ()) -> Signature:
    return Signature.of(
        [
            *(Capability.read(Kind.TOOL, tool) for tool in tools),
            *(Capability.read(Kind.PROMPT, prompt) for prompt in prompts),
        ]
    )


def test_all_scopes_are_known_before_any_call() -> None:
    """The proposal, "Signature and Tool Resolution" 1 and 3: computed and asked for at once."""
    known = permissions(signature(FILES, {**TIME, "requiredScopes": ["clock"]}))

    assert known.scopes == {"files:read", "files:delete", "clock"}
    assert known.tools["manage_files"].scopes == {"files:read", "files:delete"}
    assert known.tools["get_time"].required_scopes == {"clock"}
    assert permissions(signature(TIME)).scopes == frozenset()


def test_each_behaviour_is_the_one_that_a_call_resolves_to() -> None:
    """Points 2 and 4: a policy and a dialogue see what `tools/resolve` will say."""
    tool = permissions(signature(FILES)).tools["manage_files"]

    for variant in tool.variants:
        resolved = select(FILES, dict(variant.when))
        assert variant.annotations == resolved["annotations"]
        assert variant.required_scopes == {*resolved["requiredScopes"]}
    assert [dict(variant.when) for variant in tool.variants] == [
        {"operation": "read"},
        {"operation": "delete"},
    ]


def test_no_variant_lowers_a_risk() -> None:
    tool = permissions(signature(FILES)).tools["manage_files"]

    assert tool.risk.level is Level.HIGH
    assert {variant.risk.level for variant in tool.variants} == {Level.HIGH}
    assert tool.variants[0].annotations == {"readOnlyHint": True}


def test_a_variant_may_raise_a_risk() -> None:
    tool = {**TIME, "inputSchema": {"properties": {"zone": {"enum": ["here", "there"]}}}}
    destructive = Variant({"zone": "here"}, {"destructiveHint": True})
    worse = permissions(signature(with_variants(tool, [destructive]))).tools["get_time"]

    assert worse.risk.level is not Level.HIGH
    assert worse.variants[0].risk.level is Level.HIGH
    assert worse.highest_risk is worse.variants[0].risk


def test_every_kind_is_rated() -> None:
    known = permissions(signature(FILES, prompts=[PROMPT]))

    assert known.risks.keys() == {(Kind.TOOL, "manage_files"), (Kind.PROMPT, "greet")}
    assert known.tools["manage_files"].risk == known.risks[Kind.TOOL, "manage_files"]


def test_what_is_not_known_is_said() -> None:
    assert permissions(signature(FILES)).is_complete
    assert not permissions(signature(FILES), open_kinds=[Kind.RESOURCE]).is_complete
    broken = permissions(signature({**FILES, "resolvedVariants": [{"when": 5}]}))

    assert not broken.is_complete
    assert broken.tools["manage_files"].variants == ()
    assert broken.tools["manage_files"].problems[0].trouble is Trouble.MALFORMED


def test_annotations_that_are_none_count_as_none() -> None:
    assert permissions(signature({**TIME, "annotations": 5})).tools["get_time"].annotations == {}


def test_a_hostile_signature_does_not_take_long() -> None:
    """Many tools, with variants that are hard to compare and patterns that are hard to compile."""
    schema = {"properties": {"a": {"anyOf": [{"type": "string", "minLength": n} for n in range(9)]}}}
    slow = {"pattern": "(?:\\p{L}{1,100}){1,100}"}
    variants = [Variant({"a": {"minLength": n}}, {"readOnlyHint": True}) for n in range(20, 0, -1)]
    tools = [
        *(with_variants({"name": f"a{n}", "inputSchema": schema}, variants) for n in range(30)),
        *(
            with_variants({"name": f"b{n}", "inputSchema": schema}, [Variant({"a": slow})] * 60)
            for n in range(5)
        ),
    ]
    started = time.perf_counter()

    known = permissions(signature(*tools))

    assert known.tools["b0"].problems
    assert time.perf_counter() - started < 30
