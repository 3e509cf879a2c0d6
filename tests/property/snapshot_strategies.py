"""Snapshots of every shape that a server could have, for laws about what is stored."""

from hypothesis import strategies as st

from avow.core.artifact import Artifact
from avow.core.canonical import JsonObject, JsonValue
from avow.core.capability import Capability, Kind, Signature
from avow.core.lockfile import Entry, Lockfile
from avow.core.snapshot import Era, Snapshot, Source
from avow.core.target import HttpTarget, PythonTarget, StdioTarget, Target

# Small alphabets keep generation fast: what matters about a character is which rule it meets.
_ALPHABET = 'aB1 _-.~/"\\<&\n\x1b\x7f\u00e9\u200b\u202e\u2028\ufb33\ufffd\U0001f600\U000e0041'
texts = st.text(_ALPHABET, max_size=6)
names = st.text(_ALPHABET, min_size=1, max_size=4)
numbers = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | texts
values: st.SearchStrategy[JsonValue] = (
    scalars | st.lists(scalars, max_size=2) | st.dictionaries(texts, scalars, max_size=2)
)
objects: st.SearchStrategy[JsonObject] = st.dictionaries(texts, values, max_size=2)

# Defaults and examples at places that count, and at places that do not.
_leaves: st.SearchStrategy[JsonObject] = st.fixed_dictionaries(
    {}, optional={"default": scalars, "examples": values, "const": scalars}
)
schemas: st.SearchStrategy[JsonObject] = st.fixed_dictionaries(
    {},
    optional={
        "properties": st.dictionaries(names | st.just("default"), _leaves, max_size=2),
        "anyOf": st.lists(_leaves, max_size=2),
        "items": _leaves,
        "enum": st.lists(_leaves, max_size=1),
        "default": scalars,
    },
)


def _capabilities(kind: Kind) -> st.SearchStrategy[list[Capability]]:
    definitions = st.fixed_dictionaries(
        {kind.identifier: names},
        optional={"description": texts, "inputSchema": schemas, "x": values},
    )
    return st.lists(
        definitions.map(lambda definition: Capability.read(kind, definition)),
        max_size=2,
        unique_by=lambda capability: capability.name,
    )


signatures = st.builds(
    lambda *groups: Signature.of(capability for group in groups for capability in group),
    *(_capabilities(kind) for kind in Kind),
)
_words = st.lists(texts, max_size=2).map(tuple)
targets: st.SearchStrategy[Target] = (
    st.builds(StdioTarget, texts, _words, _words, st.none() | texts)
    | st.builds(HttpTarget, texts, _words)
    | st.builds(PythonTarget, texts)
)
# Names that no version of ours will ever use.
_foreign = st.dictionaries(texts.map(lambda text: f"x-{text}"), scalars, max_size=1)
snapshots = st.builds(
    Snapshot,
    target=targets,
    server=objects,
    protocol_version=texts,
    era=st.sampled_from(Era),
    capabilities=objects,
    signature=signatures,
    instructions=st.none() | texts,
    configuration_schema=values,
    protocol_versions=_words,
    source=st.sampled_from(Source),
    complete=st.booleans(),
    notes=_words,
    extra=_foreign,
)
artifacts = st.builds(Artifact, names, names, names, texts, texts, st.booleans(), _foreign)
lockfiles = st.builds(
    Lockfile,
    st.dictionaries(texts, st.builds(Entry, snapshots, st.none() | artifacts), max_size=2),
    _foreign,
)
