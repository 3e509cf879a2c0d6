"""What a terminal gets to see of text that a server wrote."""

import pytest

from avow.core.printable import escape, hidden, hidden_in_name, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("plain ASCII", "plain ASCII", id="ascii"),
        pytest.param("red\x1b[31m", "red\\u{1b}[31m", id="escape sequence"),
        pytest.param("\x9b2J", "\\u{9b}2J", id="one-byte control sequence introducer"),
        pytest.param("a\rb", "a\\u{d}b", id="carriage return would overwrite the line"),
        pytest.param("a\r\nb\tc", "a\nb\tc", id="line ends and tabs stay"),
        pytest.param("gpj.\u202eexe", "gpj.\\u{202e}exe", id="bidirectional override"),
        pytest.param("pay\u200bload", "pay\\u{200b}load", id="zero width space"),
        pytest.param("\U000e0068\U000e0069", "\\u{e0068}\\u{e0069}", id="tag characters"),
        pytest.param("a\ufe0f\ufe01", "a\\u{fe0f}\\u{fe01}", id="variation selectors that carry data"),
        pytest.param("\u3164", "\\u{3164}", id="a letter that shows nothing"),
        pytest.param("\ud800", "\\u{d800}", id="lone surrogate"),
        pytest.param("a\u2028b", "a\\u{2028}b", id="line separator"),
        pytest.param("read\ufe0f", "read\\u{fe0f}", id="variation selector after a letter"),
        pytest.param("read\u00adfile", "read\\u{ad}file", id="soft hyphen"),
        pytest.param("read\u2800file", "read\\u{2800}file", id="Braille without a dot"),
        pytest.param("read\ue000file", "read\\u{e000}file", id="private use"),
        pytest.param("read\ufffc", "read\\u{fffc}", id="a placeholder"),
    ],
)
def test_what_would_hide_or_be_obeyed_is_written_out(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "naïve café",
        "日本語　テキスト 葛\U000e0100飾",
        "שלום עולם",
        "می\u200cخواهم",
        "क्\u200dष",
        "👨\u200d💻 ❤\ufe0f\u200d🔥 ⚠\ufe0f 1\ufe0f\u20e3 👩🏽\u200d🚀",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "10\u00a0000",
        "\u2813\u2800\u2800\u283a",
    ],
)
def test_ordinary_writing_of_any_language_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


def test_a_flag_that_spells_something_else_is_not_a_flag() -> None:
    """Six free letters behind a black flag would be a channel nobody sees."""
    assert printable("\U0001f3f4\U000e0068\U000e0069\U000e007f") == (
        "\U0001f3f4\\u{e0068}\\u{e0069}\\u{e007f}"
    )


def test_folding_puts_a_text_on_one_line() -> None:
    assert printable(" one\r\n\ttwo \u2028 three\n", fold=True) == "one two three"
    assert printable("a        b", 3, fold=True) == "a b"


def test_folding_does_not_hide_what_a_name_is_spaced_with() -> None:
    assert printable("read\u00a0file", fold=True) == "read\\u{a0}file"
    assert printable("prix\u00a0: 10\u202f000 €", fold=True) == "prix : 10 000 €"
    assert printable("日本語\u3000テキスト", fold=True) == "日本語 テキスト"


def test_in_a_name_nothing_is_ordinary_writing() -> None:
    assert list(hidden_in_name("⚙\ufe0f a b\u00a0c\n\u0434")) == [1, 6, 8]


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abc", 1, "…"), ("abc", 0, ""), ("\x1b\x1b", 7, "\\u{1b}…")],
)
def test_the_limit_counts_what_is_shown(text: str, limit: int, shown: str) -> None:
    assert printable(text, limit) == shown


def test_hidden_characters_are_found_by_place() -> None:
    assert list(hidden("a\u200bé\x00")) == [1, 3]


def test_an_escape_names_the_code_point() -> None:
    assert escape("\u200b") == "\\u{200b}"
