"""Client files as documents: bytes, the value they hold, and the format that can edit them in place."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from avow.core.canonical import JsonValue
from avow.errors import MalformedInputError
from avow.system.clients.edits import Drop, Edit, Location, Prepend, Replace
from avow.system.clients.jsonc import apply as apply_to_jsonc
from avow.system.clients.jsonc import loads as loads_jsonc
from avow.system.clients.toml import apply as apply_to_toml
from avow.system.clients.toml import loads as loads_toml
from avow.system.clients.yaml import apply as apply_to_yaml
from avow.system.clients.yaml import loads as loads_yaml
from avow.system.files import read_bounded

_BOM: Final = "\ufeff"
_MIB: Final = 1024 * 1024

# Claude Code keeps its whole state beside its servers; the other formats are only ever small.
_LIMITS: Final = {"jsonc": 64 * _MIB, "toml": 4 * _MIB, "yaml": _MIB}
_LOADS: Final = {"jsonc": loads_jsonc, "toml": loads_toml, "yaml": loads_yaml}
_APPLY: Final = {"jsonc": apply_to_jsonc, "toml": apply_to_toml, "yaml": apply_to_yaml}
_FORMATS: Final = {".json": "jsonc", ".jsonc": "jsonc", ".toml": "toml", ".yaml": "yaml", ".yml": "yaml"}


@dataclass(frozen=True, slots=True)
class Document:
    """One client file as it was read; its contents, which may hold secrets, stay out of the `repr`."""

    path: Path
    format: str
    text: str = field(repr=False)
    value: JsonValue = field(repr=False)

    def edited(self, edits: Iterable[Edit]) -> "Document":
        """The same document after these edits, checked against the same edits made on its value.

        Raises:
            MalformedInputError: a place is missing or ambiguous, or the result would not read back
                as intended: then nothing may be written.
        """
        text, value, bom = self.text, self.value, ""
        if text.startswith(_BOM):
            bom, text = _BOM, text[1:]
        for edit in edits:
            try:
                text = _APPLY[self.format](text, edit)
            except MalformedInputError as error:
                raise MalformedInputError(f"{self.path}: {error.message}", hint=error.hint) from None
            value = _on_value(value, edit)
        if _LOADS[self.format](text) != value:
            raise MalformedInputError(
                f"{self.path}: this file is written in a way that Avow cannot change safely",
                hint="change the entry by hand: `avow run --help` shows the form",
            )
        return Document(self.path, self.format, bom + text, value)


def read_document(path: Path) -> Document:
    """Read one client file.

    Raises:
        StorageError: it cannot be read, or is too large to be a configuration.
        MalformedInputError: it is not what its name says; the message has the line and the column.
    """
    kind = _FORMATS.get(path.suffix.lower(), "")
    data = read_bounded(path, _LIMITS[kind or "jsonc"])
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise MalformedInputError(f"{path}, line {line}, column {column}: this is not UTF-8 text") from None
    return parse_document(path, text, kind or _sniff(text))


def parse_document(path: Path, text: str, kind: str) -> Document:
    """Read a text that came from `path`.

    Raises:
        MalformedInputError: as for `read_document`.
    """
    bare = text.removeprefix(_BOM)
    if not bare.strip():
        return Document(path, kind, text, {})
    try:
        return Document(path, kind, text, _LOADS[kind](bare))
    except MalformedInputError as error:
        raise MalformedInputError(f"{path}, {error.message}", hint=error.hint) from None


def _sniff(text: str) -> str:
    """A file without a telling name: braces or comments open JSON, `[table]` or `key =` is TOML."""
    start = text.removeprefix(_BOM).lstrip()
    if start.startswith(("{", "//", "/*")):
        return "jsonc"
    first = next((line for line in start.splitlines() if line and not line.startswith("#")), "")
    return "toml" if first.startswith("[") or "=" in first.split(":", 1)[0] else "yaml"


def _on_value(value: JsonValue, edit: Edit) -> JsonValue:
    """What the edit means, said on the value alone."""
    match edit:
        case Replace(path, new):
            return _changed(value, path, lambda _: new)
        case Prepend(path, items):
            return _changed(value, path, lambda old: [*items, *old])
        case Drop(path, count):
            return _changed(value, path, lambda old: old[count:])


def _changed(value: JsonValue, path: Location, change: Callable[[JsonValue], JsonValue]) -> JsonValue:
    if not path:
        return change(value)
    step, rest = path[0], path[1:]
    if isinstance(value, list):
        return [_changed(item, rest, change) if at == step else item for at, item in enumerate(value)]
    return {**value, step: _changed(value.get(step), rest, change)}
