"""What somebody once configured for a server, without its secrets: a small file for each server.

`save` is the one way to write answers: secrets go to the store, everything else to the file.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from avow.core.canonical import Digest, JsonObject, digest, digest_of
from avow.core.configuration.hazards import is_secret_value
from avow.core.configuration.model import Configuration, Parameter
from avow.errors import MalformedInputError, StorageError
from avow.system.configuration.identity import Identity
from avow.system.configuration.places import beginning, directory, files_of
from avow.system.files import read_bounded, write_atomically
from avow.system.secret_store.model import SecretStore, StoreKind

if TYPE_CHECKING:
    from avow.core.configuration.values import Value

VERSION: Final = 1

_LIMIT: Final = 4 * 1024 * 1024
_RESTORE: Final = "remove it, and run `avow configure` again"

# Several values where a parameter takes several.
Kept: TypeAlias = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Remembered:
    """What is known about a configured server.

    `values` are those that are no secrets, by key; `secrets` says in which store the others are.
    `answered` are the keys that somebody was asked about, given or left empty. `environment` names the
    variables that may be taken from our own environment, and `insisted` the keys of parameters that somebody
    wants although they decide which code runs. `seen` has the digests of the settings that may stand beside
    stored values, by their directory: settings that changed are others. `declaration` is the digest of the
    configuration that was asked about, and `configuration` is that itself, for servers that declare none.
    """

    name: str
    target: Digest
    values: Mapping[str, Kept] = field(default_factory=dict)
    secrets: Mapping[str, StoreKind] = field(default_factory=dict)
    answered: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    insisted: tuple[str, ...] = ()
    seen: Mapping[str, Digest] = field(default_factory=dict)
    declaration: str = ""
    configuration: Configuration = field(default_factory=Configuration)

    @property
    def identity(self) -> Identity:
        """Whom this belongs to."""
        return Identity(self.name, self.target)


@dataclass(frozen=True, slots=True)
class Answers:
    """What somebody answered about one server: `given` by key, and the consents that go with it.

    A key in `asked` without a value is one that somebody left empty: what was stored for it is removed.
    `environment` names variables that may be taken from our environment, `insisted` keys of parameters
    that decide which code runs, and `seen` the digest of the settings that somebody agrees to, by directory.
    """

    asked: tuple[str, ...]
    given: "Mapping[str, Value]" = field(default_factory=dict, repr=False)
    environment: tuple[str, ...] = ()
    insisted: tuple[str, ...] = ()
    seen: Mapping[str, Digest] = field(default_factory=dict)


def recall(identity: Identity) -> Remembered | None:
    """What was configured for exactly this server.

    Raises:
        StorageError: the file cannot be read, is damaged, or was written by a newer Avow.
    """
    path = _path(identity)
    if not path.exists():
        return None
    found = _read(path)
    return found if found.identity == identity else None


def namesakes(identity: Identity) -> tuple[Remembered, ...]:
    """What was configured for other servers of the same name, which gets none of it.

    A file of theirs that is damaged is no reason to hold this one up.
    """
    found: list[Remembered] = []
    for path in files_of(identity.name):
        with suppress(StorageError):
            found.append(_read(path))
    return tuple(one for one in found if one.name == identity.name and one.identity != identity)


def save(
    identity: Identity, configuration: Configuration, answers: Answers, store: SecretStore
) -> Remembered:
    """Keep answers: secrets in `store`, the rest in the file; earlier answers that were not asked for stay.

    `configuration` is everything that is known about the server's needs: what was stored for parameters
    that it has no more is removed. Values that are secret, by declaration, by name or by their own shape,
    never reach the file.

    Raises:
        StorageError: it cannot be written.
        SecretStoreError: a secret cannot be kept.
    """
    kind = store.describe().kind
    known = configuration.parameters
    secret = {key for key, one in known.items() if is_secret_value(one, answers.given.get(key, ""))}
    for key in sorted(secret & answers.given.keys()):
        store.set(str(identity), key, _single(answers.given[key]))
    gone: dict[str, StoreKind] = {}

    def change(before: Remembered) -> Remembered:
        after = _answered(before, configuration, answers, secret, kind)
        gone.update(
            {key: where for key, where in before.secrets.items() if after.secrets.get(key) is not where}
        )
        return after

    saved = update(identity, change)
    _delete(identity, gone, {kind: store})
    return saved


def update(identity: Identity, change: Callable[[Remembered], Remembered]) -> Remembered:
    """Change what is remembered while no other Avow does.

    Raises:
        StorageError: it cannot be read or written.
    """
    from avow.system.lockfiles import alone

    path = _path(identity)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot make {path.parent}: {error.strerror}") from None
    with alone(path):
        changed = change(recall(identity) or Remembered(identity.name, identity.digest))
        _write(path, changed)
    return changed


def forget(identity: Identity) -> None:
    """Remove what is remembered and every secret that goes with it.

    Raises:
        StorageError: something cannot be removed.
    """
    found = recall(identity)
    if found is not None:
        _delete(identity, found.secrets, {})
        _path(identity).unlink(missing_ok=True)


def declaration_digest(configuration: Configuration) -> Digest:
    """The digest of a server's needs, to see later whether they are still the same."""
    return digest(_document(configuration))


def unanswered(remembered: Remembered | None, configuration: Configuration) -> tuple[Parameter, ...]:
    """The parameters that nobody was asked about yet, in their order; fixed ones are no questions."""
    known = frozenset(remembered.answered) if remembered else frozenset()
    return tuple(one for one in configuration if one.fixed is None and one.key not in known)


def _answered(
    before: Remembered,
    configuration: Configuration,
    answers: Answers,
    secret: set[str],
    kind: StoreKind,
) -> Remembered:
    known = configuration.parameters
    kept = known.keys() - set(answers.asked) - answers.given.keys()
    given = {key: value for key, value in answers.given.items() if key in known}
    return replace(
        before,
        values={
            **{key: value for key, value in before.values.items() if key in kept - secret},
            **{key: _kept(value) for key, value in given.items() if key not in secret},
        },
        secrets={
            **{key: where for key, where in before.secrets.items() if key in kept},
            **{key: kind for key in given if key in secret},
        },
        answered=_united(before.answered, answers.asked, answers.given),
        environment=_united(before.environment, answers.environment),
        insisted=_united(before.insisted, answers.insisted),
        seen={**before.seen, **answers.seen},
        declaration=declaration_digest(configuration),
        configuration=configuration,
    )


def _delete(
    identity: Identity, gone: Mapping[str, StoreKind], opened: Mapping[StoreKind, SecretStore]
) -> None:
    from avow.system.secret_store.choosing import open_store

    for key, kind in gone.items():
        (opened.get(kind) or open_store(kind)).delete(str(identity), key)


def _united(*several: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({one for each in several for one in each}))


def _kept(value: "Value") -> Kept:
    return value if isinstance(value, str) else tuple(value)


def _single(value: "Value") -> str:
    """A secret as one text; several are separated by line breaks, which no value has."""
    return value if isinstance(value, str) else "\n".join(value)


def _path(identity: Identity) -> Path:
    distinct = digest_of(str(identity).encode()).removeprefix("sha256:")[:24]
    return directory() / f"{beginning(identity.name)}{distinct}.json"


def _read(path: Path) -> Remembered:
    import msgspec

    from avow.core.canonical import parse_json

    try:
        document = parse_json(read_bounded(path, _LIMIT))
        if isinstance(document, dict) and (version := document.pop("version", 0)) != VERSION:
            newer = isinstance(version, int) and version > VERSION
            hint = "upgrade Avow" if newer else _RESTORE
            raise StorageError(f"{path} has version {version!r}, this Avow reads {VERSION}", hint=hint)
        return msgspec.convert(document, Remembered)
    except (MalformedInputError, msgspec.ValidationError):
        raise StorageError(f"{path} is damaged", hint=_RESTORE) from None


def _write(path: Path, remembered: Remembered) -> None:
    import msgspec

    # Not sorted: people are asked in the order of the parameters.
    data = msgspec.json.encode({"version": VERSION, **_document(remembered)})
    write_atomically(path, msgspec.json.format(data, indent=2) + b"\n", mode=0o600)


def _document(value: Remembered | Configuration) -> JsonObject:
    import msgspec

    document: JsonObject = msgspec.json.decode(msgspec.json.encode(value))
    return document
