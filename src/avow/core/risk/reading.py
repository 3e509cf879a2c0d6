"""Reads a tool as a reviewer would: what its name says, what its first sentence says, which arguments it has.

Everything is bounded: a server may send a text without end. What was not read is said, not guessed.
"""

from dataclasses import dataclass
from typing import Final

from avow.core.canonical import JsonObject, JsonValue
from avow.core.risk import words
from avow.core.risk.schema import NODE_LIMIT, Argument, as_object, read_arguments
from avow.core.risk.sentences import Statement, find_statements, main_clause, split_clauses, tokens

TEXT_LIMIT: Final = 20_000


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a definition says, cut to what a rating needs.

    `about` has the words of the name and of the clause that says what the tool does, `topic` those of
    the first sentences; the rest of a description is advice.
    """

    name: tuple[str, ...]
    statements: tuple[Statement, ...]
    about: frozenset[str]
    topic: frozenset[str]
    text: str
    arguments: tuple[Argument, ...]
    argument_names: frozenset[str]
    argument_words: frozenset[str]
    annotations: JsonObject
    capped: tuple[str, ...]

    @property
    def said(self) -> frozenset[str]:
        """The words of the sentence that says what the tool does, after its verb."""
        told = (statement.everything for statement in self.statements if statement.source == "description")
        return frozenset().union(*told)

    @property
    def has_path(self) -> bool:
        """Whether an argument names a place in a file system."""
        return bool(self.argument_words & words.PATH_NAMES or self.argument_names & words.FILE_NAMES)

    @property
    def is_given(self) -> bool:
        """Whether the data comes as an argument, rather than its identifier."""
        return bool(self.argument_words & words.GIVEN) and not self.argument_words & words.IDENTIFIERS


def read_tool(definition: JsonObject) -> Evidence:
    """Collect the evidence that a tool's definition gives."""
    annotations = as_object(definition.get("annotations"))
    name = tokens(_text(definition.get("name")))
    title = tokens(_text(definition.get("title")) or _text(annotations.get("title")))
    description = _text(definition.get("description"))
    clauses = split_clauses(description[:TEXT_LIMIT])
    arguments, all_read = read_arguments(definition.get("inputSchema"))
    first_words = {word for clause in clauses[:3] for word in clause}
    return Evidence(
        name=name,
        statements=tuple(find_statements(name, title, clauses)),
        about=frozenset((*name, *(clauses[0] if clauses else ()), *main_clause(clauses))),
        topic=frozenset((*name, *title, *first_words)),
        text=description[:TEXT_LIMIT],
        arguments=arguments,
        argument_names=frozenset(argument.name.lower() for argument in arguments),
        argument_words=frozenset().union(*(argument.words for argument in arguments)),
        annotations=annotations,
        capped=_capped(description, all_read=all_read),
    )


def _capped(description: str, *, all_read: bool) -> tuple[str, ...]:
    said = []
    if len(description) > TEXT_LIMIT:
        said.append(f"only the first {TEXT_LIMIT} characters of the description were read")
    if not all_read:
        said.append(f"only the first {NODE_LIMIT} parts of the input schema were read")
    return tuple(said)


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""
