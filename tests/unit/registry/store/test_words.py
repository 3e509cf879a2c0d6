"""Texts become words in the same way when they are stored and when somebody looks for them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avow.registry.store.words import (
    MAX_QUERY_TERMS,
    MAX_WORD,
    MAX_WORDS,
    postgresql_query,
    query_terms,
    sqlite_query,
    words_of,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("read_file", ["read", "file"]),
        ("readFile", ["readfile", "read", "file"]),
        ("HTTPServer2", ["httpserver2", "http", "server2"]),
        ("Reads the files.", ["read", "the", "file"]),
        ("class boss gas as", ["class", "boss", "gas", "as"]),
        ("naïve Straße", ["naïve", "na", "ï", "ve", "strasse", "stra", "ss", "e"]),
        ("检索文件", ["检索文件", "检", "索", "文", "件"]),
        ("ｆｕｌｌ", ["full"]),
        ("'; DROP TABLE x; --", ["drop", "table", "x"]),
        ("\u202e\x00 \U0001f600", []),
    ],
)
def test_what_the_words_of_a_text_are(text: str, words: list[str]) -> None:
    assert words_of([text]) == words


def test_a_query_finds_a_name_however_it_is_written() -> None:
    """`GitHub` is one word or two: either will do."""
    assert sqlite_query(query_terms("GitHub files")) == '("github" OR ("git" AND "hub")) AND ("file")'
    assert postgresql_query(query_terms("GitHub files")) == "('github' | ('git' & 'hub')) & ('file')"
    assert query_terms("?!") == []


@given(st.text(max_size=300))
def test_nothing_in_a_query_is_an_instruction(text: str) -> None:
    """Between quotation marks there are only letters and digits, of bounded length and number."""
    terms = query_terms(text)
    assert len(terms) <= MAX_QUERY_TERMS
    for term in terms:
        for word in (term.word, *term.parts):
            assert 0 < len(word) <= MAX_WORD * 3
            assert '"' not in word
            assert "'" not in word
            assert "\\" not in word
            assert "\0" not in word


@given(st.text(max_size=200))
def test_what_is_stored_is_found_by_itself(text: str) -> None:
    """Every term of a text is among its words, whole or in parts."""
    words = set(words_of([text]))
    for term in query_terms(text):
        assert term.word in words or (term.parts and set(term.parts) <= words)


def test_a_text_without_end_has_an_end() -> None:
    words = words_of([" ".join(f"w{number}" for number in range(5_000)), "x" * 100_000])
    assert len(words) == MAX_WORDS
    assert words_of(["x" * 100_000]) == ["x" * MAX_WORD]


def test_words_that_every_text_has_count_only_when_there_are_no_others() -> None:
    assert sqlite_query(query_terms("the files of a user")) == '("file") AND ("user")'
    assert sqlite_query(query_terms("the")) == '("the")'
