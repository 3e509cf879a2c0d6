"""The package behind a server's command: what was installed when it was approved, and what is now."""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from avow.core.canonical import JsonObject, JsonValue
from avow.core.severity import Severity
from avow.errors import MalformedInputError

if TYPE_CHECKING:
    from avow.core.drift.model import Drift

_RELEASE: Final = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,18})*")
_TEXTS: Final = ("type", "name", "version", "integrity", "variant")
_REQUIRED: Final = frozenset({"type", "name", "version"})


@dataclass(frozen=True, slots=True)
class Artifact:
    """One installed package.

    `type` is `npm`, `pypi` or `oci`; `integrity` is the ecosystem's own hash, empty when unknown.
    `variant` tells builds of one version apart that rightly differ, such as wheels for two platforms.
    `pinned` says that the server's command names this very version.
    """

    type: str
    name: str
    version: str
    integrity: str = ""
    variant: str = ""
    pinned: bool = False
    extra: JsonObject = field(default_factory=dict)


def artifact_document(artifact: Artifact) -> JsonObject:
    """The artifact as lockfiles write it."""
    document: JsonObject = {member: getattr(artifact, member) for member in _TEXTS}
    written = {member: value for member, value in document.items() if value or member in _REQUIRED}
    return {**artifact.extra, **written, **({"pinned": True} if artifact.pinned else {})}


def read_artifact(document: JsonValue) -> Artifact:
    """The inverse of `artifact_document`.

    Raises:
        MalformedInputError: a member is missing or of the wrong type.
    """
    if not isinstance(document, dict):
        raise MalformedInputError("the artifact is not an object")
    values: dict[str, str] = {}
    for member in _TEXTS:
        value = document.get(member, None if member in _REQUIRED else "")
        if not isinstance(value, str):
            raise MalformedInputError(f"the artifact's {member} is missing or not a string")
        values[member] = value
    pinned = document.get("pinned", False)
    if not isinstance(pinned, bool):
        raise MalformedInputError("the artifact's pinned is not true or false")
    extra = {member: value for member, value in document.items() if member not in {*_TEXTS, "pinned"}}
    return Artifact(**values, pinned=pinned, extra=extra)


def artifact_drift(approved: Artifact | None, observed: Artifact | None) -> "tuple[Drift, ...]":
    """How the installed package differs from the approved one; nothing when none was approved."""
    if approved is None:
        return ()
    if observed is None:
        return (
            _drift(approved, Severity.INFO, "the installed package was not found, so it was not compared"),
        )
    if (approved.type, approved.name) != (observed.type, observed.name):
        summary = f"another package runs: {_label(observed)} in place of {_label(approved)}"
        return (_drift(approved, Severity.CRITICAL, summary),)
    if approved.version != observed.version:
        return (_version_drift(approved, observed),)
    return _integrity_drift(approved, observed)


def _version_drift(approved: Artifact, observed: Artifact) -> "Drift":
    step = f"version {approved.version} became {observed.version}"
    if approved.pinned:
        summary = f"{step}, although the command asks for the approved version"
        return _drift(approved, Severity.CRITICAL, summary)
    if not _is_newer(approved.version, observed.version):
        return _drift(approved, Severity.MODERATE, f"{step}, which is not a newer one")
    return _drift(approved, Severity.INFO, step, "pin the version in the command to decide about updates")


def _integrity_drift(approved: Artifact, observed: Artifact) -> "tuple[Drift, ...]":
    if not approved.integrity:
        return ()
    before, after = _hashes(approved.integrity), _hashes(observed.integrity)
    shared = before.keys() & after.keys()
    if approved.variant != observed.variant or not shared:
        summary = "the integrity of the installed package could not be compared"
        return (_drift(approved, Severity.INFO, summary),)
    if any(before[algorithm] != after[algorithm] for algorithm in shared):
        summary = f"version {approved.version} has other content than when it was approved"
        return (_drift(approved, Severity.CRITICAL, summary),)
    return ()


def _drift(approved: Artifact, severity: Severity, summary: str, hint: str = "") -> "Drift":
    # Late: a lockfile is read without any drift.
    from avow.core.drift.model import Drift, DriftType

    return Drift(DriftType.ARTIFACT_CHANGED, "server", approved.name, severity, summary, hint=hint)


def _label(artifact: Artifact) -> str:
    return f"{artifact.type} {artifact.name}"


def _hashes(integrity: str) -> dict[str, str]:
    """The hashes by algorithm: `sha512-…` as npm writes them, several perhaps, or `sha256:…`."""
    parts = (re.split("[-:]", word, maxsplit=1) for word in integrity.split())
    return {part[0]: part[-1] for part in parts}


def _is_newer(before: str, after: str) -> bool:
    """Whether `after` is surely a later release; what cannot be told counts as not."""
    old, new = _RELEASE.match(before), _RELEASE.match(after)
    if old is None or new is None:
        return False
    numbers = [tuple(int(number) for number in found.group().split(".")) for found in (old, new)]
    # 1.0.0-beta comes before 1.0.0 in both ecosystems; two pre-releases of one version are not ordered here.
    return numbers[0] < numbers[1] or (
        numbers[0] == numbers[1] and before != old.group() and after == new.group()
    )
