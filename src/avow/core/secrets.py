"""Values that a server was given and nobody else should read: never in a file, and struck out of reports."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import quote, urlsplit

from avow.core.canonical import JsonValue
from avow.core.capability import Capability, Signature
from avow.core.credentials import credentials_in, is_credential, is_credential_name, secret_arguments
from avow.core.snapshot import Snapshot, Volatile
from avow.core.target import HttpTarget, Target
from avow.core.texts import texts
from avow.errors import LockfileError

# Nobody's secret is shorter, and `1` is many a version.
_SHORTEST_ALONE: Final = 4
# Anything shorter is found in ordinary words by chance: it counts where it is the whole text.
_SHORTEST: Final = 8
_SCHEMES: Final = frozenset({"basic", "bearer", "digest", "token"})

# What nobody keeps to himself: a number, a language, a time zone, a host, a path, a switch.
_PLAIN: Final = re.compile(
    r"[+-]?[0-9]+(?:[.,:/ -][0-9]+)*"
    r"|[a-z]{2,3}(?:[-_][A-Za-z]{2,4})?(?:\.(?i:utf-?8|iso-?8859-[0-9]{1,2}))?"
    r"|[A-Z][A-Za-z]+(?:/[A-Z][A-Za-z_+-]+){1,2}"
    r"|localhost(?::[0-9]{1,5})?"
    r"|(?i:true|false|enabled|disabled|default|readonly|read-only|read_only|readwrite|read-write|read_write"
    r"|production|development|staging|information|warning|critical|standard|advanced|everything)"
)
_PATH: Final = re.compile(r"(?:/|\./|\.\./|~|[A-Za-z]:[\\/])[^\n]*")


def secrets_among(values: Mapping[str, str]) -> dict[str, str]:
    """The values that are secrets, or may be, by name; of `Bearer …` it is what follows the scheme."""
    bare = {name: _without_scheme(value) for name, value in values.items()}
    return {name: value for name, value in bare.items() if _is_secret(name, value)}


def leaked_secrets(document: JsonValue, values: Mapping[str, str]) -> tuple[str, ...]:
    """The names of the secrets among `values` that occur in `document`."""
    forms = [(form, name) for name, value in secrets_among(values).items() for form, _ in _forms(name, value)]
    if not forms:
        return ()
    return tuple(sorted({name for text in texts(document) for form, name in forms if _occurs(form, text)}))


def refuse_secrets(target: Target, document: JsonValue, values: Mapping[str, str]) -> None:
    """Let nothing pass that would write a secret to a file.

    Raises:
        LockfileError: the target holds one, or the server repeats one of `values` in what it declares.
    """
    if places := secret_arguments(target):
        raise LockfileError(
            f"{', '.join(places)}: this looks like a credential, and would be written to the file",
            hint="write ${NAME} in its place and set the environment variable NAME; it is read at start",
        )
    if names := leaked_secrets(document, values):
        raise LockfileError(
            f"the server repeats the value of {', '.join(names)} in what it declares; nothing was written",
            hint="give it a made-up value while locking, or tell the server's author",
        )


@dataclass(frozen=True, slots=True)
class Striking:
    """Strikes secrets out of what is shown: each is replaced by its name in brackets.

    Whatever differed before still differs: no text had such a mark before. Digests are of what is left.
    """

    _marks: Mapping[str, str] = field(default_factory=dict, repr=False)
    _pattern: re.Pattern[str] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, values: Mapping[str, str], snapshots: Iterable[Snapshot]) -> "Striking":
        """Strike the secrets among `values` that occur in the snapshots."""
        secrets = secrets_among(values)
        if not secrets:
            return cls()
        said = [text for snapshot in snapshots for text in texts(_words(snapshot))]
        marks: dict[str, str] = {}
        for form, label in (pair for name, value in secrets.items() for pair in _forms(name, value)):
            if form not in marks and any(_occurs(form, text) for text in said):
                marks[form] = _mark(label, said)
        # The longest first, so that none is struck only in part.
        long = sorted((form for form in marks if len(form) >= _SHORTEST), key=len, reverse=True)
        return cls(marks, re.compile("|".join(map(re.escape, long))) if long else None)

    def text(self, text: str) -> str:
        """The text without secrets."""
        if text in self._marks:
            return self._marks[text]
        return self._pattern.sub(lambda found: self._marks[found[0]], text) if self._pattern else text

    def value(self, value: JsonValue) -> JsonValue:
        """The value without secrets, in names of members, too."""
        match value:
            case str():
                return self.text(value)
            case list():
                return [self.value(item) for item in value]
            case dict():
                return {self.text(name): self.value(item) for name, item in value.items()}
            case _:
                return value

    def snapshot(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot without secrets; its target has none."""
        if not self._marks:
            return snapshot
        return replace(
            snapshot,
            server=self.value(snapshot.server),
            capabilities=self.value(snapshot.capabilities),
            signature=Signature.of(
                Capability.read(c.kind, self.value(c.definition)) for c in snapshot.signature
            ),
            instructions=self.value(snapshot.instructions),
            configuration_schema=self.value(snapshot.configuration_schema),
            notes=tuple(map(self.text, snapshot.notes)),
            volatile=tuple(Volatile(self.text(v.pointer), self.value(v.shape)) for v in snapshot.volatile),
            extra=self.value(snapshot.extra),
        )


def _is_secret(name: str, value: str) -> bool:
    if is_credential_name(name) or is_credential(value):
        return len(value) >= _SHORTEST_ALONE
    return len(value) >= _SHORTEST and not _is_plain(value)


def _is_plain(value: str) -> bool:
    if "://" in value:
        if credentials_in(HttpTarget(value)):
            return False
        parts = urlsplit(value)
        return not parts.query and "@" not in parts.netloc
    if _PATH.fullmatch(value):
        return not any(map(is_credential, re.split(r"[\\/]", value)))
    return _PLAIN.fullmatch(value) is not None


def _without_scheme(value: str) -> str:
    scheme, _, rest = value.partition(" ")
    return rest.strip() if scheme.lower() in _SCHEMES else value


def _forms(name: str, value: str) -> Iterator[tuple[str, str]]:
    """A secret as it was given, and as it stands in an address, each with what to call it."""
    yield value, name
    yield quote(value, safe=""), f"{name}, encoded"


def _occurs(secret: str, text: str) -> bool:
    return secret in text if len(secret) >= _SHORTEST else secret == text


def _words(snapshot: Snapshot) -> JsonValue:
    """Everything that a server said in a snapshot."""
    return [
        snapshot.server,
        snapshot.capabilities,
        snapshot.instructions,
        snapshot.configuration_schema,
        list(snapshot.notes),
        snapshot.extra,
        [capability.definition for capability in snapshot.signature],
    ]


def _mark(label: str, said: Iterable[str]) -> str:
    """The label in brackets, with as many stars as it takes to be in none of the texts."""
    known = re.compile(re.escape(f"[{label}") + r"(\**)\]")
    stars = [len(found[1]) + 1 for text in said for found in known.finditer(text)]
    return f"[{label}{'*' * max(stars, default=0)}]"
