"""Laws of identity: equal values and only they have equal bytes, and nothing strange gets in."""

import json
import random
from contextlib import suppress

import pytest
import rfc8785
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from avow.core import canonical as module
from avow.core import strict_json as reader
from avow.core.canonical import MAX_DEPTH, JsonValue, canonical, parse_json, parse_leniently
from avow.errors import MalformedInputError
from strategies import SAFE, characters, documents, interoperable_values, json_values, large_integers, texts

few_values = documents(
    st.sampled_from(["", "1", "a", "null", "A\u030a", "\u00c5"]),
    st.sampled_from([0, 1, 10, SAFE, -SAFE]),
    st.sampled_from([0.0, -0.0, 1.0, 10.0, 0.1, 1e21]),
    keys=st.sampled_from(["", "a", "A", "1"]),
)


def shuffled(value: JsonValue, seed: int) -> JsonValue:
    """The same value with the members of every object in another order."""
    if isinstance(value, dict):
        members = [(key, shuffled(member, seed)) for key, member in value.items()]
        random.Random(seed).shuffle(members)
        return dict(members)
    return [shuffled(item, seed) for item in value] if isinstance(value, list) else value


def same(left: JsonValue, right: JsonValue) -> bool:
    """JSON's idea of equality: 10.0 is 10, true is not 1, the order of members means nothing."""
    match left, right:
        case (dict(), dict()):
            return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
        case (list(), list()):
            return len(left) == len(right) and all(map(same, left, right))
        case (bool(), _) | (_, bool()):
            return left is right
        case _:
            return bool(left == right)


@given(interoperable_values)
def test_another_implementation_writes_the_same_bytes(value: JsonValue) -> None:
    """The package rfc8785 knows no integers beyond ±(2^53-1); in all else it is a second opinion."""
    assert canonical(value) == rfc8785.dumps(value)


@settings(max_examples=200)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_another_implementation_writes_the_same_doubles(value: float) -> None:
    """Numbers alone, so that many are tried."""
    assert canonical(value) == rfc8785.dumps(value)


@given(json_values)
def test_the_shortcut_gives_what_the_long_way_gives(value: JsonValue) -> None:
    """Rule by rule: doubles written, members sorted by UTF-16, and only then bytes."""
    long_way = module._bytes_as_they_are(module._in_utf16_order(module._written_out(value)))

    assert canonical(value) == long_way


@given(json_values)
def test_what_was_written_reads_back_and_is_written_again(value: JsonValue) -> None:
    """Canonical bytes are JSON, and their own canonical form."""
    assert canonical(parse_json(canonical(value))) == canonical(value)


@given(json_values, st.integers(0, 99))
def test_the_order_of_members_means_nothing(value: JsonValue, seed: int) -> None:
    """Nor do blanks and escapes between the server and us."""
    spelled = json.dumps(shuffled(value, seed), indent=1, ensure_ascii=True)

    assert canonical(parse_json(spelled)) == canonical(value)


@settings(max_examples=200)
@given(few_values, few_values)
@example([True], [1])
@example({"a": 10.0}, {"a": 10})
def test_equal_values_and_only_they_share_bytes(left: JsonValue, right: JsonValue) -> None:
    """Otherwise a server could change something and keep its digest."""
    assert (canonical(left) == canonical(right)) == same(left, right)


@given(large_integers, large_integers)
def test_different_integers_never_share_bytes(left: int, right: int) -> None:
    """As doubles many of them would be the same number."""
    assume(left != right)

    assert canonical(left) != canonical(right)


@settings(max_examples=200)
@given(st.binary(max_size=60) | st.text(st.characters(), max_size=40))
def test_nothing_but_our_error_comes_out_of_the_reader(data: bytes | str) -> None:
    """And the lenient reader lets nothing out at all."""
    with suppress(MalformedInputError):
        parse_json(data)
    parse_leniently(data)


@given(json_values)
def test_the_quick_reader_reads_what_the_careful_one_reads(value: JsonValue) -> None:
    """Written as peers write it, compact, or with blanks and escapes: the same value of the same types."""
    compact = json.dumps(value, separators=(",", ":"), ensure_ascii=False)

    for spelled in (compact, compact + "\n", json.dumps(value)):
        assert repr(parse_json(spelled)) == repr(reader._read_carefully(spelled, MAX_DEPTH)) == repr(value)


@settings(max_examples=200)
@given(json_values, st.data())
def test_a_damaged_document_is_read_as_json_reads_it_or_refused(
    value: JsonValue, data: st.DataObject
) -> None:
    """One byte is another: what the strict reader accepts, the standard library accepts too."""
    blanks = data.draw(st.sampled_from([(",", ":"), (", ", ": ")]))
    document = bytearray(json.dumps(value, ensure_ascii=False, separators=blanks).encode())
    place = data.draw(st.integers(0, len(document) - 1))
    document[place] = data.draw(st.integers(0, 255))

    try:
        read = parse_json(bytes(document))
    except MalformedInputError:
        return
    assert same(read, json.loads(document.decode()))
    assert same(read, parse_leniently(bytes(document)))


@given(st.lists(characters, min_size=1, max_size=3).map("".join), json_values, json_values)
def test_a_repeated_key_is_refused_however_it_is_spelled(
    key: str, first: JsonValue, second: JsonValue
) -> None:
    """Escaped and plain spellings of one key are one key."""
    plain, escaped = json.dumps(key, ensure_ascii=False), json.dumps(key, ensure_ascii=True)
    document = f"[{{{plain}: {json.dumps(first)}, {escaped}: {json.dumps(second)}}}]"

    with pytest.raises(MalformedInputError, match="appears twice"):
        parse_json(document)
    assert same(parse_leniently(document), [{key: second}])


@given(texts, texts, st.integers(0xD800, 0xDFFF), st.booleans())
def test_a_lone_surrogate_is_refused_wherever_it_is(before: str, after: str, unit: int, as_key: bool) -> None:
    """Escaped or not, in a key or in a value."""
    text = before + chr(unit) + after
    value: JsonValue = [{text: 1}] if as_key else [{"a": [text]}]

    for spelled in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        with pytest.raises(MalformedInputError):
            parse_json(spelled)
    with pytest.raises(MalformedInputError):
        canonical(value)
