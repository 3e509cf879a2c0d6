"""The conditions of a search as SQL: one table leads, the others are looked up for each of its rows."""

from dataclasses import dataclass, field, replace
from typing import Any, Final

from avow.registry.model import Search
from avow.registry.store.database import Database
from avow.registry.store.reading import text_query
from avow.registry.store.rows import KINDS, LEVELS, bounded
from avow.registry.store.words import query_terms

MAX_CAPABILITY_NAME: Final = 300
MAX_ARGUMENT_NAME: Final = 100

_WORDS: Final = {
    "sqlite": ("w.rowid", "capability_words MATCH {}"),
    "postgresql": ("w.id", "w.words @@ CAST({}::text AS tsquery)"),
}


@dataclass(slots=True)
class Question:
    """A question that grows condition by condition.

    The most telling condition leads: its index gives capabilities in order. `leading` are the conditions on
    its table alone, `following` those that are looked up for each of its rows.
    """

    dialect: str
    table: str = "capabilities c"
    number: str = "c.id"
    leading: list[str] = field(default_factory=list)
    following: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def value(self, value: Any) -> str:
        """A place for a value."""
        self.values.append(value)
        return f"${len(self.values)}"

    def words(self, query: str) -> None:
        """Hold capabilities to words; nothing is more telling."""
        number, match = _WORDS[self.dialect]
        self._lead("capability_words w", number, match.format(self.value(query)))

    def column(self, name: str, value: Any) -> None:
        """Hold a column to a value; where something leads already, its index is not used."""
        condition = f"c.{name} = {self.value(value)}"
        if not self.leading:
            self.leading.append(condition)
        else:
            # SQLite has no figures to choose an index by: a plus sign takes the choice away.
            self.following.append(f"+{condition}" if self.dialect == "sqlite" else condition)

    def pair(self, table: str, column: str, name: str, value: str) -> None:
        """Hold capabilities to what a table has of them by a name and a value."""
        wanted = f"name = {self.value(name)} AND {column} = {self.value(value)}"
        if not self.leading:
            self._lead(table, "capability_id", wanted)
            return
        # Before anything of the capability is read: here it is decided for most.
        self.following.insert(
            0,
            f"EXISTS (SELECT 1 FROM {table} q WHERE {wanted} AND q.capability_id = l.id)",  # noqa: S608
        )

    def _lead(self, table: str, number: str, condition: str) -> None:
        self.table, self.number = table, number
        self.leading.append(condition)

    def source(self, most: int | None, before: int) -> str:
        """Tables and conditions: `l` leads in the order of its `id`, newest first, and `c` is the capability.

        No more than `most` rows of what leads are looked at, however few of them fit. In PostgreSQL those are
        any: to have the newest it would go through all there are, when it thinks that many have the words.
        """
        rows = self._rows("AS id", before)
        if most is not None:
            rows += f"{self._order} LIMIT {self.value(most)}"
        following = " AND ".join(["c.id = l.id", *self.following])
        return f"({rows}) AS l CROSS JOIN capabilities c WHERE {following}"

    async def leading_row(self, database: Database, place: int, before: int) -> int | None:
        """The number in that place of what leads, whether it fits or not."""
        # What leads was there first, and so were its values.
        alone = replace(self, values=self.values[: "".join(self.leading).count("$")])
        rows = alone._rows("", before)
        sql = f"{rows}{self._order} LIMIT 1 OFFSET {alone.value(place)}"
        found = await database.fetch(sql, *alone.values)
        return found[0][0] if found else None

    @property
    def _order(self) -> str:
        return f" ORDER BY {self.number} DESC" if self.dialect == "sqlite" else ""

    def _rows(self, name: str, before: int) -> str:
        conditions = " AND ".join([*self.leading, f"{self.number} < {self.value(before)}"])
        return f"SELECT {self.number} {name} FROM {self.table} WHERE {conditions}"  # noqa: S608


def question_of(database: Database, wanted: Search) -> Question | None:
    """The conditions of a search, the most telling first; None when nothing can be found."""
    question = Question(database.dialect)
    if wanted.text is not None and wanted.text.strip():
        terms = query_terms(wanted.text)
        if not terms:
            return None
        question.words(text_query(database, terms))
    if wanted.tool is not None:
        question.column("name", bounded(wanted.tool, MAX_CAPABILITY_NAME))
    if wanted.argument is not None:
        name = bounded(wanted.argument, MAX_ARGUMENT_NAME)
        question.pair("arguments", "type", name, wanted.argument_type or "")
    if wanted.annotation is not None:
        question.pair("annotations", "value", *wanted.annotation)
    if wanted.risk is not None:
        question.column("risk", LEVELS.index(wanted.risk))
    if wanted.kind is not None:
        question.column("kind", KINDS.index(wanted.kind))
    question.following.append("c.servers > 0")
    if offering := offering_of(question, wanted):
        question.following.append(
            "EXISTS (SELECT 1 FROM offers o CROSS JOIN servers s "  # noqa: S608
            f"WHERE o.capability_id = c.id AND o.until = 0 AND s.id = o.server_id{offering})"
        )
    return question


def offering_of(question: Question, wanted: Search) -> str:
    """What has to hold of a server that offers the capability."""
    text = " AND s.needs_secret = 0" if wanted.needs_no_secret else ""
    if wanted.namespace is not None:
        place = question.value(wanted.namespace)
        text += f" AND s.namespace_id = (SELECT id FROM namespaces WHERE name = {place})"  # noqa: S608
    return text
