"""What schemas say to readers, and about which part of the input they say it.

The same words in another place, behind a reference say, are the same as long as they are about the same
part. A default that moves from one argument to another is not the same, and neither is one that comes
in with a part that was written anew.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from avow.core.canonical import JsonValue, canonical
from avow.core.schema.document import Document, Place
from avow.core.schema.raw import Edit
from avow.core.schema.steps import Path, inside, target
from avow.core.schema.vocabulary import escape, is_foreign, is_telling

# More ways to more parts than this are no longer told apart.
_MOST: Final = 5_000
_DEFAULT: Final = "default"

_Saying: TypeAlias = tuple[str, bytes]


@dataclass(frozen=True, slots=True)
class _Said:
    """One keyword for readers at its place, and the parts that it is about; none when nobody refers to it."""

    pointer: str
    keyword: str
    value: JsonValue
    about: frozenset[Path]

    @property
    def saying(self) -> _Saying:
        """What makes two of them say the same."""
        return self.keyword, canonical(self.value)


class Words:
    """Everything in one document that is there for readers."""

    def __init__(self, document: Document) -> None:
        """Find it, and what it is about."""
        parts = _parts(document)
        self.parts = {path for paths in parts.values() for path in paths}
        self.said = {said.pointer: said for said in _all(document, parts)}
        self._about: dict[_Saying, set[Path]] = {}
        for said in self.said.values():
            self._about.setdefault(said.saying, set()).update(said.about)

    def say(self, said: _Said) -> bool:
        """Whether the same is said here about all those parts."""
        known = self._about.get(said.saying)
        return known is not None and said.about <= known

    def about(self, keyword: str) -> set[Path]:
        """The parts that a keyword says something about."""
        return {path for said in self.said.values() if said.keyword == keyword for path in said.about}


def is_said(keyword: str) -> bool:
    """Whether a keyword judges nothing that we know of: somebody reads it."""
    return is_telling(keyword) or is_foreign(keyword)


def told_apart(old: Words, new: Words, written: Iterable[Edit]) -> tuple[list[Edit], list[Edit]]:
    """Words that are new, gone or others now; and words that only stand in another place."""
    edits = {edit.path: edit for edit in written if is_said(edit.keyword)}
    told = {path: edit for path, edit in edits.items() if edit.change == "changed"}
    for said in new.said.values():
        if said.pointer not in told and not old.say(said):
            told[said.pointer] = Edit(said.pointer, said.keyword, "added", None, said.value)
    for path, edit in edits.items():
        if edit.change == "removed" and not (path in old.said and new.say(old.said[path])):
            told.setdefault(path, edit)
    for said in _lost(old, new):
        told.setdefault(said.pointer, Edit(said.pointer, said.keyword, "removed", said.value))
    return list(told.values()), [edit for path, edit in edits.items() if path not in told]


def _lost(old: Words, new: Words) -> Iterator[_Said]:
    """Defaults of parts that are still there and have none any more, whatever is written where."""
    without = new.parts - new.about(_DEFAULT)
    for said in old.said.values():
        if said.keyword == _DEFAULT and said.about & without:
            yield said


def _all(document: Document, parts: Mapping[str, set[Path]]) -> Iterator[_Said]:
    for place in document.places:
        for keyword, value in place.schema.items() if isinstance(place.schema, dict) else ():
            if is_said(keyword):
                about = parts.get(place.pointer, set()) if parts else _roughly(place, keyword)
                yield _Said(f"{place.pointer}/{escape(keyword)}", keyword, value, frozenset(about))


def _parts(document: Document) -> dict[str, set[Path]]:
    """The parts of the input that each schema is about, by its pointer; nothing when they are too many."""
    found: dict[str, set[Path]] = {}
    waiting: list[tuple[Place, Path, tuple[str, ...]]] = [(document.root, (), ())]
    for _ in range(_MOST):
        if not waiting:
            return found
        place, path, trail = waiting.pop()
        about = found.setdefault(place.pointer, set())
        if path in about:
            continue
        about.add(path)
        waiting.extend((inner, (*path, *way), trail) for _, way, inner in inside(place))
        aim = target(document, place)
        if aim is not None and aim.pointer not in trail:
            waiting.append((aim, path, (*trail, aim.pointer)))
    return {}


def _roughly(place: Place, keyword: str) -> set[Path]:
    """Where parts are not told apart, only a default must stay in its place."""
    return {(place.pointer,)} if keyword == _DEFAULT else {()}
