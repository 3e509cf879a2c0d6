"""What a server asks to be told: what differs between the declaration that was approved and the one of today.

Rated higher than the table where more is at stake than a form to fill in: a value that is asked for as a
secret or no longer treated as one, a variable that decides which code runs, a default that gives more away,
and checks that are gone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from avow.core.canonical import JsonObject, JsonValue, canonical
from avow.core.configuration.hazards import is_secret, risky_default, sets_loader
from avow.core.configuration.model import Configuration, Parameter, Where
from avow.core.configuration.wire import read_schema
from avow.core.drift.compose import compose
from avow.core.drift.model import Change, Drift, DriftType, Effect
from avow.core.drift.wording import text_change
from avow.core.printable import printable
from avow.core.severity import Severity
from avow.errors import DeclarationError

_ROOT: Final = "/configurationSchema"
_LISTS: Final = {Where.ENV: "environmentVariables", Where.ARGUMENT: "arguments", Where.OTHER: "other"}
_UNREADABLE: Final = "the configuration schema is not what the specification says it is"


def configuration_drift(before: JsonValue, after: JsonValue) -> Drift:
    """The difference between two configuration schemas that are not the same."""
    changes = list(_changes(before, after))
    if all(change.severity <= Severity.SAFE for change in changes):
        change = "added" if before is None else "removed" if after is None else "changed"
        words = f"the configuration schema was {change}"
        changes = [_change(_ROOT, change, Severity.SAFE, words, before, after)]
    return compose(
        DriftType.CONFIGURATION_CHANGED,
        "server",
        "configuration",
        changes,
        {"configurationSchema": before},
        {"configurationSchema": after},
    )


def _changes(before: JsonValue, after: JsonValue) -> Iterator[Change]:
    old, new = _read(before), _read(after)
    if new is None:
        more = sorted(_required(after) - _required(before))
        names = ", ".join(_shown(name) for _, name in more[:5])
        words = f"now requires {names}" if more else _UNREADABLE
        change = "changed" if before is not None else "added"
        yield _change(_ROOT, change, Severity.MODERATE, words, before, after)
        return
    # What cannot be read may still say what it required.
    required = _required(before)
    earlier = {} if old is None else _declared(old, before)
    today = _declared(new, after)
    for place, declared in today.items():
        if place in earlier:
            yield from _Difference(earlier[place], declared).changes()
        else:
            yield _added(declared, was_required=place in required)
    for place, declared in earlier.items():
        if place not in today:
            words = f"no longer asks for {declared.name}"
            yield _change(declared.pointer, "removed", Severity.SAFE, words, declared.raw)


@dataclass(frozen=True, slots=True)
class _Declared:
    """A parameter, a pointer to it, and how it was declared."""

    parameter: Parameter
    pointer: str
    raw: JsonObject

    @property
    def name(self) -> str:
        return _shown(self.parameter.binding.name)


def _added(declared: _Declared, *, was_required: bool) -> Change:
    """A new parameter: what weighs most is said of it."""
    parameter, name = declared.parameter, declared.name
    severity, words = Severity.MODERATE, ""
    if parameter.required and not was_required:
        words = f"now requires {name}"
    elif sets_loader(parameter):
        words = f"now asks for {name}, which decides which code runs"
    elif is_secret(parameter) and not parameter.required:
        words = f"now asks for the secret {name}"
    elif reason := risky_default(parameter):
        words = f"now takes {name}, with a default to look at: {reason}"
    else:
        severity, words = Severity.SAFE, f"now takes {name}"
    return _change(declared.pointer, "added", severity, words, None, declared.raw)


@dataclass(frozen=True, slots=True)
class _Difference:
    """A parameter of today, held against the same one as it was approved."""

    before: _Declared
    after: _Declared

    def changes(self) -> Iterator[Change]:
        """Everything that differs in a way that has a meaning here."""
        old, new, name = self.before.parameter, self.after.parameter, self.after.name
        if new.required and not old.required:
            yield self._said("required", Severity.MODERATE, f"now requires {name}")
        if old.required and not new.required:
            yield self._said("required", Severity.SAFE, f"{name} is optional now")
        if new.secret is not old.secret:
            yield self._sensitivity()
        if new.type is not old.type:
            words = f"{name} is a {new.type} now, and was a {old.type}"
            yield self._said("type", Severity.MODERATE, words)
        if new.pattern != old.pattern:
            yield self._pattern()
        if canonical(self.before.raw.get("default")) != canonical(self.after.raw.get("default")):
            yield self._default()
        if new.description != old.description:
            pointer = f"{self.after.pointer}/description"
            what = f"the description of {name}"
            yield text_change(pointer, what, "changed", old.description, new.description)

    def _sensitivity(self) -> Change:
        name = self.after.name
        if self.after.parameter.secret:
            return self._said("sensitive", Severity.SAFE, f"{name} is declared as a secret now")
        words = f"{name} is no longer declared as a secret: others may show it, or store it openly"
        return self._said("sensitive", Severity.MODERATE, words)

    def _pattern(self) -> Change:
        name = self.after.name
        if not self.before.parameter.pattern:
            return self._said("pattern", Severity.SAFE, f"{name} has to match a pattern now")
        if not self.after.parameter.pattern:
            words = f"the pattern of {name} is gone: any value is accepted"
        else:
            words = f"the pattern of {name} is another one: it may accept what it did not"
        return self._said("pattern", Severity.MODERATE, words)

    def _default(self) -> Change:
        name, new = self.after.name, self.after.parameter
        here, there = _host(new.default), _host(self.before.parameter.default)
        if reason := risky_default(new):
            words = f"the default of {name} is another one, to be looked at: {reason}"
        elif here and here != there:
            words = f"the default of {name} is at another host, {_shown(here)}"
        else:
            return self._said("default", Severity.SAFE, f"the default of {name} is another one")
        return self._said("default", Severity.MODERATE, words)

    def _said(self, member: str, severity: Severity, words: str) -> Change:
        old, new = self.before.raw, self.after.raw
        change = "changed" if member in old and member in new else "added" if member in new else "removed"
        pointer = f"{self.after.pointer}/{member}"
        return _change(pointer, change, severity, words, old.get(member), new.get(member))


def _read(schema: JsonValue) -> Configuration | None:
    """What a schema says; None where it cannot be read, and nothing where there is none."""
    try:
        return Configuration() if schema is None else read_schema(schema)
    except DeclarationError:
        return None


def _declared(configuration: Configuration, schema: JsonValue) -> dict[tuple[str, str], _Declared]:
    """The parameters by list and name, which no two have in common."""
    by_place = {(_LISTS[one.binding.where], one.binding.name): one for one in configuration}
    return {
        (member, entry["name"]): _Declared(
            by_place[member, entry["name"]], f"{_ROOT}/{member}/{position}", entry
        )
        for member in _LISTS.values()
        for position, entry in enumerate((schema or {}).get(member, []))
    }


def _required(schema: JsonValue) -> set[tuple[str, str]]:
    """What a schema requires, each with the list it is in, however malformed the rest may be."""
    members: JsonObject = schema if isinstance(schema, dict) else {}
    return {
        (member, str(item.get("name")))
        for member, items in members.items()
        for item in (items if isinstance(items, list) else ())
        if isinstance(item, dict) and item.get("required") is True
    }


def _host(default: object) -> str:
    """The host of a default that is an address; empty for anything else."""
    if not isinstance(default, str) or "://" not in default:
        return ""
    try:
        return urlsplit(default).hostname or ""
    except ValueError:
        return ""


def _shown(name: str) -> str:
    return printable(name, 60, fold=True)


def _change(
    path: str, change: str, severity: Severity, words: str, before: JsonValue = None, after: JsonValue = None
) -> Change:
    return Change(path, change, Effect.OTHER, severity, words, before, after)
