"""Old and new wording, word by word."""

import time

from avow.core.word_diff import Piece, WordDiff, word_diff


def words(text: str, *, differs: bool = False) -> Piece:
    return Piece(text, differs)


def test_only_the_words_that_differ_are_marked() -> None:
    """The rest is there so that a person can place them."""
    assert word_diff("Read one note.", "Read every note.") == WordDiff(
        (words("Read"), words("one", differs=True), words("note.")),
        (words("Read"), words("every", differs=True), words("note.")),
    )


def test_text_far_from_a_difference_is_left_out() -> None:
    """A description of a page with one changed word stays readable."""
    common = " ".join(f"w{number}" for number in range(100))

    diff = word_diff(f"{common} old {common}", f"{common} new {common}")

    assert diff.new == (
        words("… w94 w95 w96 w97 w98 w99"),
        words("new", differs=True),
        words("w0 w1 w2 w3 w4 w5 …"),
    )


def test_a_side_may_be_empty() -> None:
    """Added and removed texts have nothing to stand against."""
    assert word_diff("", "All new.") == WordDiff((), (words("All new.", differs=True),))


def test_hidden_characters_show() -> None:
    """The difference may consist of nothing else."""
    assert word_diff("note", "note\u202e").new == (words("note\\u{202e}", differs=True),)


def test_an_enormous_text_is_cut_and_takes_no_time() -> None:
    """A server may send megabytes of words that have nothing in common."""
    before, after = (" ".join(f"{letter}{n}" for n in range(200_000)) for letter in "ab")
    started = time.process_time()

    diff = word_diff(before, after)

    assert time.process_time() - started < 5
    assert all(len(piece.text) < 20_000 for piece in (*diff.old, *diff.new))
    assert "more words" in diff.new[0].text


def test_words_between_two_differences_are_kept_when_they_are_few() -> None:
    """Of many, both ends stay: each places the difference beside it."""
    few, many = "a b c", " ".join(f"w{number}" for number in range(40))

    assert word_diff(f"1 {few} 2", f"3 {few} 4").new == (
        words("3", differs=True),
        words("a b c"),
        words("4", differs=True),
    )
    assert word_diff(f"1 {many} 2", f"3 {many} 4").new[1] == words(
        "w0 w1 w2 w3 w4 w5 … w34 w35 w36 w37 w38 w39"
    )
