"""Verbs in names and sentences."""

import pytest

from avow.core.risk.sentences import Statement, base_form, find_statements, split_clauses, tokens


@pytest.mark.parametrize("name", ["getFileName", "get_file_name", "get-file-name", "Get file.name"])
def test_every_way_to_write_a_name_gives_the_same_words(name: str) -> None:
    assert tokens(name) == ("get", "file", "name")


def test_capitals_and_digits_are_words_of_their_own() -> None:
    assert tokens("TwilioApiV2010--ListSMSMessages") == (
        "twilio", "api", "v", "2010", "list", "sms", "messages",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("delete", "delete"),
        ("deletes", "delete"),
        ("deleting", "delete"),
        ("searches", "search"),
        ("copies", "copy"),
        ("running", "run"),
        ("searching", "search"),
        ("deleted", None),
        ("sing", None),
        ("fishing", None),
    ],
)
def test_forms_of_verbs(word: str, base: str | None) -> None:
    assert base_form(word, frozenset({"delete", "search", "copy", "run"})) == base


def statements(name: str, description: str = "") -> list[tuple[str, str]]:
    """Source and verb of what is found."""
    found = find_statements(tokens(name), (), split_clauses(description))
    return [(statement.source, statement.verb) for statement in found]


@pytest.mark.parametrize(
    ("name", "description", "found"),
    [
        ("get_add_command", "", [("name", "get")]),
        ("order_status", "Get the status of an order", [("description", "get")]),
        ("order_status", "", [("name", "order")]),
        ("run_script", "Shows what a script prints", [("name", "run"), ("description", "show")]),
        ("get_sum", "Calculates the sum", [("description", "calculate")]),
        ("find_and_replace", "", [("name", "find"), ("name", "replace")]),
        ("search_and_x", "", [("name", "search")]),
        ("x", "This tool allows you to delete files.", [("description", "delete")]),
        ("x", "Acme - Api: This is the public API. Purchase a number.", [("description", "purchase")]),
        ("x", "Performs a comprehensive web search.", [("description", "search")]),
        ("x", "Make sure to run this last.", []),
        ("x", "Nothing here.\nArgs:\n    delete: what to delete", []),
        ("x", "It is a one that and also then or", []),
    ],
)
def test_the_verb_of_a_tool(name: str, description: str, found: list[tuple[str, str]]) -> None:
    assert statements(name, description) == found


def test_objects_end_at_a_preposition() -> None:
    (statement,) = find_statements((), (), split_clauses("Add a new comment to the issue"))

    assert statement == Statement(
        "description", "add", "add", ("comment",), frozenset({"a", "new", "comment", "to", "the", "issue"})
    )
    assert statement.head == "comment"


def test_a_verb_alone_has_no_object() -> None:
    (statement,) = find_statements(("delete",), (), [])

    assert statement.head == ""
