"""Laws of the JSONC editor: an edit means on the text what it means on the value, and no more."""

import json
from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from avow.system.clients.edits import Drop, Location, Prepend, Replace
from avow.system.clients.jsonc import apply, loads

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
tricky = st.sampled_from(['"', "\\", "//", "/*", "*/", ",]", "{", "}", "[,", "\n", "a"])
words = st.one_of(texts, tricky, st.lists(tricky, max_size=3).map("".join))
scalars = st.one_of(st.none(), st.booleans(), st.integers(-(10**6), 10**6), words)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=3)),
    max_leaves=12,
)
objects = st.dictionaries(words, values, min_size=1, max_size=4)


def spelled(value: Any, layout: Random) -> str:
    """One of the many ways to write a value: blanks, comments and trailing commas anywhere."""
    newline = layout.choice(["\n", "\r\n"])
    gaps = ["", "", " ", "\t", newline, f'// "],{newline}', '/* , ] } " */', "/**/", "/***/"]

    def gap() -> str:
        return layout.choice(gaps) + layout.choice(gaps)

    def write(part: Any) -> str:
        if isinstance(part, dict):
            members = [
                f"{gap()}{write(key)}{gap()}:{gap()}{write(item)}{gap()}" for key, item in part.items()
            ]
            return "{" + joined(members) + "}"
        if isinstance(part, list):
            return "[" + joined([f"{gap()}{write(item)}{gap()}" for item in part]) + "]"
        return json.dumps(part, ensure_ascii=layout.random() < 0.5)

    def joined(parts: list[str]) -> str:
        return ",".join(parts) + ("," if parts and layout.random() < 0.5 else "") + gap()

    return gap() + write(value) + gap()


# How long an example takes says more about the machine's other work than about the editor.
lawful = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])

# One number stands for a whole layout: drawing every gap by itself takes most of a test's time.
layouts = st.integers(0, 2**32).map(Random)


def paths_in(value: Any, here: Location = ()) -> list[Location]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [here, *(path for step, part in inside for path in paths_in(part, (*here, step)))]


def at(value: Any, path: Location) -> Any:
    for step in path:
        value = value[step]
    return value


def with_change(value: Any, path: Location, new: Any) -> Any:
    if not path:
        return new
    copy: Any = value.copy()
    copy[path[0]] = with_change(value[path[0]] if len(path) > 1 else None, path[1:], new)
    return copy


@given(st.data(), objects)
@lawful
def test_a_document_reads_the_same_however_it_is_written(data: st.DataObject, value: Any) -> None:
    assert loads(spelled(value, data.draw(layouts))) == value


@given(st.data(), objects, values)
@lawful
def test_replacing_a_value_changes_that_value_and_no_other_byte(
    data: st.DataObject, value: Any, new: Any
) -> None:
    text = spelled(value, data.draw(layouts))
    path = data.draw(st.sampled_from(paths_in(value)[1:]))

    edited = apply(text, Replace(path, new))

    assert loads(edited) == with_change(value, path, new)
    written = json.dumps(new, ensure_ascii=False)
    places = [at for at in range(len(edited)) if edited.startswith(written, at)]
    kept = len(text) - (len(edited) - len(written))
    assert any(
        text.startswith(edited[:place]) and text[place + kept :] == edited[place + len(written) :]
        for place in places
    )
    assert apply(edited, Replace(path, at(value, path))) == apply(text, Replace(path, at(value, path)))


@given(st.data(), objects, words, values)
@lawful
def test_adding_a_member_keeps_every_byte_that_was_there(
    data: st.DataObject, value: Any, key: str, new: Any
) -> None:
    text = spelled(value, data.draw(layouts))
    targets = [
        path for path in paths_in(value) if isinstance(at(value, path), dict) and key not in at(value, path)
    ]
    if not targets:
        return
    path = (*data.draw(st.sampled_from(targets)), key)

    edited = apply(text, Replace(path, new))

    assert loads(edited) == with_change(value, path, new)
    start = next((i for i, (old, now) in enumerate(zip(text, edited, strict=False)) if old != now), len(text))
    rest = len(text) - start
    assert edited[:start] == text[:start]
    assert edited[len(edited) - rest :] == text[start:]


@given(st.data(), objects, st.lists(words, min_size=1, max_size=4), st.lists(words, max_size=3))
@lawful
def test_dropping_what_was_prepended_is_the_identity_on_bytes(
    data: st.DataObject, value: Any, items: list[str], args: list[str]
) -> None:
    document = {**value, "args": args}
    text = spelled(document, data.draw(layouts))

    longer = apply(text, Prepend(("args",), tuple(items)))

    assert loads(longer) == {**document, "args": items + args}
    if args:
        assert apply(longer, Drop(("args",), len(items))) == text
    else:
        assert loads(apply(longer, Drop(("args",), len(items)))) == document
