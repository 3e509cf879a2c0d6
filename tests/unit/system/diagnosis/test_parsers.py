"""The fixed words of argument parsers and validators."""

import pytest

from avow.system.diagnosis.output.parsers import parser_demands
from avow.system.diagnosis.output.text import Level, Statement, statements


def named(text: str, exception: str = "", source: str = "") -> list[list[list[str]]]:
    """The ways of every demand in a statement."""
    statement = Statement(text, Level.ERROR, exception, source)
    return [[[name.text for name in way] for way in one.ways] for one in parser_demands(statement)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x: error: the following arguments are required: -d/--db-path, file", [[["--db-path"]], [["file"]]]),
        ("error: one of the arguments --a --b is required", [[["--a"], ["--b"]]]),
        ("Error: Missing option '--token' / '-t'.", [[["--token"]]]),
        ("Missing option '--token' (env var: 'MY_TOKEN').", [[["--token"], ["MY_TOKEN"]]]),
        ("Error: Missing argument 'PATH'.", [[["PATH"]]]),
        ("error: required option '-k, --api-key <key>' not specified", [[["--api-key"]]]),
        ("error: missing required argument 'path'", [[["path"]]]),
        ("Missing required arguments: apiKey, org", [[["--apiKey"]], [["--org"]]]),
        (
            "error: the following required arguments were not provided:\n  --key <KEY>\n  <DIR>",
            [[["--key"]], [["DIR"]]],
        ),
        ('Error: required flag(s) "host", "token" not set', [[["--host"]], [["--token"]]]),
        ("required key GITHUB_TOKEN missing value", [[["GITHUB_TOKEN"]]]),
        ("API_KEY not found. Declare it as envvar or define a default value.", [[["API_KEY"]]]),
        (
            "2 validation errors for Settings\napi_id\n  Field required [type=x]\nAPI_ID\n  Field required",
            [[["api_id"]], [["API_ID"]]],
        ),
        ('[{"code": "invalid_type", "path": ["env", "MY_KEY"], "message": "Required"}]', [[["MY_KEY"]]]),
        ("Unknown command: undefined. Expected 'init' or 'run'.", [[["run"]]]),
        ('{\n  _errors: [],\n  MY_ROLE: {\n    _errors: [\n      "Invalid"\n    ]\n  }\n}', [[["MY_ROLE"]]]),
        ("✖ Invalid input: expected string\n  → at config.API_KEY", [[["API_KEY"]]]),
        ("Invalid environment variables: {\n  MY_KEY: [ 'Required' ]\n}", [[["MY_KEY"]]]),
    ],
)
def test_each_parser_is_understood(text: str, expected: list[list[list[str]]]) -> None:
    """Flags keep their dashes, positionals have none."""
    assert named(text) == expected


def test_a_key_error_is_about_the_environment_where_the_code_says_so() -> None:
    """`os.environ["db"]` and a key in capitals are; a key of some dictionary is not."""
    assert named("'DB_URL'", "KeyError") == [[["DB_URL"]]]
    assert named("'db'", "KeyError", "os.environ['db']") == [[["db"]]]
    assert named("'db'", "KeyError", "rows['db']") == []


def test_what_the_sdk_says_about_our_messages_is_not_about_configuration() -> None:
    """A server of one era complains about requests of the other in the words of a validator."""
    assert named("3 validation errors for ClientRequest\nCallToolRequest.params\n  Field required") == []


def test_a_value_printed_over_many_lines_is_one_statement() -> None:
    """Zod's errors are JSON with a line for each member."""
    said = statements(('Server error: [\n  {\n    "path": [\n      "url"\n    ]\n  }\n]\nbye',))

    assert [one.text.splitlines()[0] for one in said] == ["Server error: [", "bye"]
    assert [[n.text for n in way] for one in parser_demands(said[0]) for way in one.ways] == [["url"]]
