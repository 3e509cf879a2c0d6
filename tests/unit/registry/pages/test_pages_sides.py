"""Two values beside each other."""

import time

from avow.core.word_diff import Piece
from avow.registry.pages.sides import Sides, document_sides, text_sides


def test_the_lines_of_a_document_that_differ_are_marked() -> None:
    """Lines of both sides, in the order of the keys."""
    sides = document_sides({"type": "string", "b": 1}, {"b": 1, "type": "number"})

    assert sides.new == (
        Piece("{", False),
        Piece('  "b": 1,', False),
        Piece('  "type": "number"', True),
        Piece("}", False),
    )
    assert sides.old is not None
    assert [piece.text for piece in sides.old if piece.differs] == ['  "type": "string"']


def test_lines_far_from_a_difference_are_left_out() -> None:
    before = {f"key{number:02}": number for number in range(40)}
    sides = document_sides(before, {**before, "key39": 0})

    assert sides.new is not None
    assert [piece.text for piece in sides.new] == [
        "{",
        '  "key00": 0,',
        '  "key01": 1,',
        "…",
        '  "key36": 36,',
        '  "key37": 37,',
        '  "key38": 38,',
        '  "key39": 0',
        "}",
    ]


def test_what_was_not_there_has_no_side() -> None:
    """Not there is not the same as null."""
    assert document_sides(None, True, "added") == Sides(None, (Piece("true", True),), is_text=False)
    assert document_sides(None, None, "removed") == Sides((Piece("null", True),), None, is_text=False)
    assert text_sides(None, "new words") == Sides(None, (Piece("new words", True),), is_text=True)
    assert text_sides("old", None).new is None


def test_texts_are_compared_by_words() -> None:
    assert document_sides("read a note", "read all notes").is_text


def test_enormous_documents_are_cut_and_take_no_time() -> None:
    before, after = ({f"{letter}{n}": "x" * 500 for n in range(20_000)} for letter in "ab")
    started = time.process_time()
    sides = document_sides(before, after)

    assert time.process_time() - started < 5
    assert sides.new is not None
    assert "more lines" in sides.new[-1].text
    assert sum(len(piece.text) for piece in sides.new) < 200_000


def test_what_is_hidden_in_a_line_shows() -> None:
    sides = document_sides({"a": "\u202e"}, {"a": 1})

    assert sides.old is not None
    assert sides.old[1].text == '  "a": "\\u202e"'
