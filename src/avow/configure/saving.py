"""Keeping what was answered, once it is known to work."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from avow.configure.answering import Draft
from avow.configure.subject import Subject, value_of
from avow.core.configuration.hazards import is_secret_value
from avow.system.configuration.remembered import Answers, save
from avow.system.configuration.values import Layer
from avow.system.secret_store import SecretStore


@dataclass(frozen=True, slots=True)
class Saved:
    """What was kept and where: the keys of secrets apart, and what was dropped."""

    keys: tuple[str, ...]
    secrets: tuple[str, ...]
    store: str
    dropped: tuple[str, ...]
    taken: Mapping[str, str]


def keep(subject: Subject, draft: Draft, store: SecretStore) -> Saved:
    """Write the answers down: secrets to the store, the rest to our own file.

    Raises:
        StorageError: it cannot be written.
    """
    parameters = subject.configuration.parameters
    given = {key: value_of(texts, parameters[key]) for key, texts in draft.given.items()}
    remembered = subject.known.remembered
    answers = Answers(
        asked=_asked(subject, draft),
        given=given,
        environment=_union(remembered.environment if remembered else (), draft.taken.values()),
        insisted=_union(
            remembered.insisted if remembered else (), (key for key in draft.insisted if key in given)
        ),
        # Whoever only takes something away agrees to nothing.
        seen={} if draft.emptied and not draft.given else subject.known.seen,
    )
    save(subject.known.identity, subject.configuration, answers, store)
    secrets = tuple(key for key, value in given.items() if is_secret_value(parameters[key], value))
    return Saved(
        tuple(key for key in given if key not in secrets),
        secrets,
        str(store.describe()),
        (*subject.gone, *draft.emptied),
        dict(draft.taken),
    )


def _asked(subject: Subject, draft: Draft) -> tuple[str, ...]:
    """Every key that counts as answered now: one whose stored value somebody kept has been so before.

    What is stored and was not shown, since it is withheld, is kept as well.
    """
    resolution = subject.resolution
    stored = {key for key, found in resolution.values.items() if found.layer is Layer.STORE}
    stored |= {one.key for one in resolution.withheld if one.layer is Layer.STORE}
    kept = {key for key in draft.asked if key in stored} - {*draft.given, *draft.emptied}
    asked = (*draft.asked, *draft.given, *draft.emptied, *draft.taken, *subject.gone)
    return tuple(key for key in dict.fromkeys(asked) if key not in kept)


def _union(*several: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for part in several for one in part))
