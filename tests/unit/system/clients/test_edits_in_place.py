"""Editing client files in place: comments, line ends and layout stay, in every format."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from avow.errors import MalformedInputError
from avow.system.clients import jsonc, toml, yaml
from avow.system.clients.documents import Document, parse_document, read_document
from avow.system.clients.edits import Drop, Edit, Prepend, Replace


def document(text: str, kind: str = "jsonc") -> Document:
    return parse_document(Path("settings"), text, kind)


def wrapped(text: str, kind: str, *, key: tuple[str | int, ...] = ("servers", "a")) -> str:
    edits: list[Edit] = [Replace((*key, "command"), "avow"), Prepend((*key, "args"), ("run", "--", "npx"))]
    return document(text, kind).edited(edits).text


def test_comments_trailing_commas_and_layout_stay() -> None:
    before = """\
// my servers
{
  "theme": "dark", // as it should be
  "servers": {
    "a": {
      "command": "npx", /* the runner */
      "args": [
        // the package
        "-y",
        "server",
      ],
    },
  },
}
"""
    assert (
        wrapped(before, "jsonc")
        == """\
// my servers
{
  "theme": "dark", // as it should be
  "servers": {
    "a": {
      "command": "avow", /* the runner */
      "args": [
        // the package
        "run",
        "--",
        "npx",
        "-y",
        "server",
      ],
    },
  },
}
"""
    )


def test_a_byte_order_mark_and_windows_line_ends_stay(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(b'\xef\xbb\xbf{\r\n  "a": [\r\n    "x"\r\n  ]\r\n}\r\n')

    edited = read_document(path).edited([Prepend(("a",), ("run",)), Replace(("b",), 1)])

    expected = b'\xef\xbb\xbf{\r\n  "a": [\r\n    "run",\r\n    "x"\r\n  ],\r\n  "b": 1\r\n}\r\n'
    assert edited.text.encode() == expected


def test_members_and_items_are_added_to_empty_ones() -> None:
    assert jsonc.apply('{"a": {}}', Replace(("a", "b"), [1])) == '{"a": {"b": [1]}}'
    assert jsonc.apply('{"a": [ ]}', Prepend(("a",), ("x", "y"))) == '{"a": ["x", "y" ]}'


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (Replace(("a", "x", "y"), 1), "a.x is not there"),
        (Replace(("b", "x"), 1), "b is neither an object nor a list"),
        (Replace(("c", 5), 1), "c is not an object"),
        (Replace(("a", "twice"), 1), "a.twice is there 2 times"),
        (Prepend(("a",), ("x",)), "a is not a list"),
        (Prepend(("none",), ("x",)), "none is not a list"),
        (Drop(("c",), 2), "fewer than 2 items"),
    ],
)
def test_a_place_that_is_missing_or_ambiguous_is_refused(edit: Edit, says: str) -> None:
    with pytest.raises(MalformedInputError, match=says):
        jsonc.apply('{"a": {"twice": 1, "twice": 2}, "b": 3, "c": ["x"]}', edit)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": /* 1}', "line 1, column 7: this comment never ends"),
        ('{"a": 1,,}', "line 1, column"),
        ("[,]", "line 1, column 2"),
        ('{"a": "b', "Unterminated string"),
        ('{"a": "b\n"}', "Invalid control character"),
        ('{"a": NaN}', "NaN is not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("9" * 5000, "line 1, column 1"),
        ("", "line 1, column 1"),
    ],
)
def test_what_is_not_json_with_comments_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(MalformedInputError, match=says):
        jsonc.loads(text)


@pytest.mark.parametrize("piece", ["/*", '\\"', '"\\"', "//", ",]", "/*/", '"a",'])
def test_hostile_repetition_takes_linear_time(piece: str) -> None:
    """A megabyte that opens and never closes; quadratic reading would take hours."""
    text = '{"a": "' + piece * (1_000_000 // len(piece))
    started = time.process_time()

    for hostile in (text, piece * (1_000_000 // len(piece))):
        with pytest.raises(MalformedInputError):
            jsonc.loads(hostile)

    assert time.process_time() - started < 10


def test_a_file_of_several_megabytes_is_edited_quickly() -> None:
    """Claude Code keeps its whole history beside its servers."""
    history = ",\n".join(
        f'"/project/{n}": {{"history": ["{"x" * 900}", {{"n": [{n}]}}]}}' for n in range(5000)
    )
    text = f'{{\n// state\n"projects": {{{history}}},\n"mcpServers": {{"a": {{"command": "npx"}}}}\n}}'
    started = time.process_time()

    edited = jsonc.apply(text, Replace(("mcpServers", "a", "command"), "avow"))

    assert edited == text.replace('"npx"', '"avow"')
    assert len(text) > 4_500_000
    assert time.process_time() - started < 5


TOML = """\
# mine
model = "x"   # keep

[servers.a]
command = "npx"      # the runner
args = [
    "-y",   # yes
    "server",
]

[servers.b]
command = 'b'
"""


def test_toml_keeps_its_comments() -> None:
    edited = wrapped(TOML, "toml")

    assert toml.loads(edited)["servers"]["a"] == {
        "command": "avow",
        "args": ["run", "--", "npx", "-y", "server"],
    }
    for kept in (
        "# mine\n",
        'model = "x"   # keep\n',
        "# the runner",
        "# yes",
        "[servers.b]\ncommand = 'b'\n",
    ):
        assert kept in edited


YAML = """\
# mine
model:   x # keep
servers:
  a:
    command: npx      # the runner
    args:
    - -y   # yes
    - server
  b: {command: 'b', args: [ "x" ]}
"""


def test_yaml_keeps_every_other_byte() -> None:
    assert wrapped(YAML, "yaml") == YAML.replace("command: npx", 'command: "avow"').replace(
        "    - -y", '    - "run"\n    - "--"\n    - "npx"\n    - -y'
    )
    flow = wrapped(YAML, "yaml", key=("servers", "b"))
    assert flow == YAML.replace("'b', args: [ \"x\" ]", '"avow", args: ["run", "--", "npx",  "x" ]')


def test_yaml_lists_of_entries_are_edited_by_index() -> None:
    text = "mcpServers:\r\n  - name: a\r\n    command: npx\r\n    args: []\r\n"

    edited = wrapped(text, "yaml", key=("mcpServers", 0))

    assert edited == (
        'mcpServers:\r\n  - name: a\r\n    command: "avow"\r\n    args: ["run", "--", "npx"]\r\n'
    )


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("toml", '[a]\nargs = ["x"]\n'),
        ("toml", "[a]\nargs = [ 'x',\n 'y' ] # c\n"),
        ("yaml", "a:\n  args: [x, y]\n"),
        ("yaml", "a:\n  args:\n    - x # c\n    - y\n"),
        ("yaml", "a:\n  args: []\nb: 1\n"),
        ("yaml", "a:\n  args: [ ] # c\nb: 1\n"),
    ],
)
def test_what_was_prepended_can_be_dropped(kind: str, text: str) -> None:
    before = document(text, kind)

    after = before.edited([Prepend(("a", "args"), ("run", "--", "npx"))]).edited([Drop(("a", "args"), 3)])

    assert after.value == before.value


@pytest.mark.parametrize(
    ("apply", "text"),
    [
        (yaml.apply, "a: {b: 1}\n"),
        (toml.apply, "[a]\nb = 1\n"),
    ],
)
def test_places_that_are_not_there_are_refused_in_every_format(
    apply: Callable[[str, Edit], str], text: str
) -> None:
    for edit in (
        Prepend(("a", "b"), ("x",)),
        Prepend(("c",), ("x",)),
        Replace(("c", "d"), 1),
        Drop(("a", "b"), 1),
    ):
        with pytest.raises(MalformedInputError):
            apply(text, edit)


@pytest.mark.parametrize("apply", [yaml.apply, toml.apply])
def test_a_member_can_be_added_in_every_format(apply: Callable[[str, Edit], str]) -> None:
    kind, text = ("yaml", "a:\n  b: 1\n") if apply is yaml.apply else ("toml", "[a]\nb = 1\n")

    edited = document(text, kind).edited([Replace(("a", "args"), ["x"])])

    assert edited.value == {"a": {"b": 1, "args": ["x"]}}


@pytest.mark.parametrize(
    ("kind", "text", "says"),
    [
        ("toml", "a = 1\nb = = 2\n", "settings, line 2, column 5: "),
        ("toml", "a = ", "settings, "),
        ("toml", "a = 1\na = 2\n", "settings, line 2"),
        ("yaml", "a: 1\nb: [\n", "settings, line 3, column 1: "),
        ("yaml", "a: 1\na: 2\n", "settings, line 2, column 1: "),
        ("yaml", "a: *nothing\n", "settings, line 1, column 4: "),
    ],
)
def test_malformed_files_are_named_with_their_place(kind: str, text: str, says: str) -> None:
    with pytest.raises(MalformedInputError) as caught:
        document(text, kind)

    assert caught.value.message.startswith(says)
    assert "\n" not in caught.value.message


def test_an_alias_that_two_entries_share_is_not_changed_for_both() -> None:
    """Splicing into the anchor would change the other entry as well: better to refuse."""
    text = "servers:\n  a: &x {command: npx, args: [y]}\n  b: *x\n"

    with pytest.raises(MalformedInputError, match="cannot change safely"):
        wrapped(text, "yaml")
