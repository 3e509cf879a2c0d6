"""Who may decide about a version in an environment, and what the decisions of several people come to."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from avow.core.tlog.decisions import newest_of_each, same_person, standing
from avow.core.tlog.entry import MAX_PEOPLE, MAX_REASON
from avow.errors import MalformedInputError
from avow.registry.model import (
    Approval,
    ApprovalState,
    ConflictError,
    Environment,
    NotFoundError,
    PublishedVersion,
    ServerName,
)
from avow.registry.store.interface import Store

ENVIRONMENT_PATTERN: Final = "[a-z0-9][a-z0-9_-]{0,62}"
USUAL_ENVIRONMENT: Final = "production"
"""Where versions are approved for when nobody says."""

_ENVIRONMENT: Final = re.compile(ENVIRONMENT_PATTERN)
FINDING: Final = "`avow registry search --servers WORDS` finds servers"


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a version in an environment, with the decisions that led there, oldest first.

    `needed` is what the newest decision says, as for everybody who reads the log; where there is none, how
    many people would have to agree now.
    """

    environment: str
    state: ApprovalState
    needed: int
    decisions: tuple[Approval, ...] = ()

    def newest_of(self, person: str) -> Approval | None:
        """What a person decided last, however their name is spelled."""
        return newest_of_each(self.decisions, lambda each: each.by).get(same_person(person))


def read_environment(text: str) -> str:
    """Check the name of an environment.

    Raises:
        MalformedInputError: it is none.
    """
    if not _ENVIRONMENT.fullmatch(text):
        raise MalformedInputError(
            f"{text[:80]!r} is not the name of an environment",
            hint="small letters, digits and dashes: production",
        )
    return text


async def set_needed(store: Store, name: str, needed: int) -> Environment:
    """Say how many people have to agree in an environment, from the next decision on.

    Raises:
        MalformedInputError: there is no such environment, or nobody could reach that number.
    """
    if not 1 <= needed <= MAX_PEOPLE:
        raise MalformedInputError(f"1 to {MAX_PEOPLE} people can be asked to agree, not {needed}")
    environment = Environment(read_environment(name), needed)
    await store.set_environment(environment)
    return environment


async def decide(
    store: Store,
    name: ServerName,
    version: str,
    *,
    environment: str,
    state: ApprovalState,
    by: str,
    reason: str,
    at: datetime,
    digest: str | None = None,
) -> tuple[Standing, bool]:
    """Record what a person decided; the answer says what it comes to with everybody's, and if it is new.

    A digest that is given has to be the version's: the person decided about what they saw. Who says the same
    again has said it once: nothing is recorded, unless another number of people has to agree by now.

    Raises:
        NotFoundError: there is no such version.
        ConflictError: the version has another digest.
        MalformedInputError: the environment or the reason is none.
    """
    read_environment(environment)
    if not reason.strip() or len(reason) > MAX_REASON:
        raise MalformedInputError(
            f"a decision needs a reason of at most {MAX_REASON} characters",
            hint="whoever reads the log later wants to know why",
        )
    found = await found_version(store, name, version)
    if digest is not None and digest != found.digest:
        raise ConflictError(
            f"{name} {version} has the digest {found.digest}, not the one decided about",
            hint="look at the version again, then decide",
        )
    approval = Approval(name, found.version, found.digest, environment, state, by, reason, at)
    made = await store.decide_once(approval)
    return (await standings(store, found, environment))[0], made is not None


async def standings(
    store: Store, version: PublishedVersion, environment: str | None = None
) -> tuple[Standing, ...]:
    """How a version stands in one environment, or in each there is, by name."""
    needed = {each.name: each.needed for each in await store.environments()}
    decisions = await store.approvals(version.name, version.version, environment=environment)
    wanted = sorted(needed) if environment is None else [environment]
    return tuple(
        _standing(each, needed.get(each, 1), (found for found in decisions if found.environment == each))
        for each in wanted
    )


async def found_version(store: Store, name: ServerName, version: str | None) -> PublishedVersion:
    """One version; None and `latest` are the newest.

    Raises:
        NotFoundError: there is none.
    """
    found = await store.version(name, None if version == "latest" else version)
    if found is None:
        what = str(name) if version in (None, "latest") else f"{name} {version}"
        known = version not in (None, "latest") and await store.version(name, None) is not None
        raise NotFoundError(
            f"{what} has not been published here",
            hint=f"`avow registry history {name}` shows what has" if known else FINDING,
        )
    return found


def _standing(environment: str, needed: int, decisions: Iterable[Approval]) -> Standing:
    made = tuple(decisions)
    state = ApprovalState(standing(each.decision for each in made))
    return Standing(environment, state, made[-1].needed if made else needed, made)
