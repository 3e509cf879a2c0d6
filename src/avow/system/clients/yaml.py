"""YAML client files: read with ruamel.yaml, changed by splicing at the places its parser marks.

Splicing keeps every other byte, which writing the whole document anew would not.
"""

import io
import json
from collections.abc import Sequence
from typing import Any

from avow.core.canonical import JsonValue
from avow.errors import MalformedInputError
from avow.system.clients.edits import Drop, Edit, Location, Prepend, Replace


def loads(text: str) -> JsonValue:
    """Read a document; YAML itself has no duplicate keys, so one is an error.

    Raises:
        MalformedInputError: it cannot be read; the message starts with the line and the column.
    """
    return _with(text, "load")


def apply(text: str, edit: Edit) -> str:
    """Carry out one edit; every byte outside the place it names stays as it is.

    Raises:
        MalformedInputError: the text cannot be read, or the place is not there.
    """
    root = _with(text, "compose")
    match edit:
        case Replace(path, value):
            return _replace(text, root, path, value)
        case Prepend(path, items):
            return _prepend(text, _sequence(root, path), items)
        case Drop(path, count):
            return _drop(text, _sequence(root, path), count)


def _with(text: str, method: str) -> Any:
    from ruamel.yaml import YAML  # only when a YAML file is read
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        return getattr(YAML(typ="safe", pure=True), method)(io.StringIO(text, newline=""))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise MalformedInputError(f"{where}{error.problem or error.context or 'not YAML'}") from None
    except (YAMLError, ValueError, RecursionError) as error:
        raise MalformedInputError(f"line 1, column 1: {error}") from None


def _replace(text: str, root: Any, path: Location, value: JsonValue) -> str:
    node = _node(root, path)
    if node is not None:
        return text[: node.start_mark.index] + json.dumps(value) + text[node.end_mark.index :]
    parent = _node(root, path[:-1])
    if parent is None or not hasattr(parent, "value") or not parent.value:
        raise MalformedInputError(f"{_spell(path[:-1])} is not there")
    key, _ = parent.value[0]
    member, start = f"{path[-1]}: {json.dumps(value)}", key.start_mark.index
    gap = ", " if parent.flow_style else _line_end(text) + " " * key.start_mark.column
    return text[:start] + member + gap + text[start:]


def _prepend(text: str, node: Any, items: Sequence[str]) -> str:
    start = node.start_mark.index
    written = [json.dumps(item) for item in items]
    if node.flow_style:
        more = ", " if node.value else ""
        return text[: start + 1] + ", ".join(written) + more + text[start + 1 :]
    gap = _line_end(text) + " " * node.start_mark.column
    return text[:start] + "".join(f"- {item}{gap}" for item in written) + text[start:]


def _drop(text: str, node: Any, count: int) -> str:
    if count > len(node.value):
        raise MalformedInputError(f"the list has fewer than {count} items")
    if count == len(node.value):
        # The end of a block list is the start of whatever comes next, blank lines and comments included.
        end = node.end_mark if node.flow_style else node.value[-1].end_mark
        return text[: node.start_mark.index] + "[]" + text[end.index :]
    first, kept = node.value[0].start_mark.index, node.value[count].start_mark.index
    return text[:first] + text[kept:]


def _node(root: Any, path: Location) -> Any:
    for step in path:
        if isinstance(root.value, list) and isinstance(step, int):
            root = root.value[step] if step < len(root.value) else None
        elif isinstance(root.value, list):
            root = next((value for key, value in root.value if key.value == step), None)
        else:
            root = None
        if root is None:
            return None
    return root


def _sequence(root: Any, path: Location) -> Any:
    node = _node(root, path)
    if node is None or not node.tag.endswith(":seq"):
        raise MalformedInputError(f"{_spell(path)} is not a list")
    return node


def _spell(path: Location) -> str:
    return ".".join(map(str, path)) or "the document"


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
