"""Files for people: every character that is there can be seen."""

import json
import unicodedata

import pytest

from avow.core.readable_json import readable_json


def test_a_document_is_sorted_indented_and_ends_with_one_newline() -> None:
    written = readable_json({"b": [], "a": {"y": [1, 2.5, True, None], "x": {}}})

    assert written == (
        b'{\n  "a": {\n    "x": {},\n    "y": [\n      1,\n      2.5,\n      true,\n      null\n    ]\n  },\n'
        b'  "b": []\n}\n'
    )


def test_integers_keep_every_digit() -> None:
    assert (
        readable_json([9007199254740993, 10**300]) == b"[\n  9007199254740993,\n  1" + b"0" * 300 + b"\n]\n"
    )


def test_what_is_no_number_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        readable_json(float("nan"))


def test_every_character_that_shows_nothing_is_an_escape() -> None:
    """Controls, format characters, line separators and unusual spaces, wherever Unicode has them."""
    unseen = [
        chr(code)
        for code in range(0x110000)
        if unicodedata.category(chr(code)) in {"Cc", "Cf", "Zl", "Zp", "Zs", "Co"} and chr(code) != " "
    ]

    written = readable_json("".join(unseen))

    assert written.isascii()
    assert json.loads(written) == "".join(unseen)


def test_writing_that_shows_stays_as_it_is() -> None:
    text = "Größe, 日本語, עברית, हिन्दी, 🎉 <b>&amp;</b>"

    assert readable_json(text).decode() == f'"{text}"\n'
