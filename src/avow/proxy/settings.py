"""The table `[gate]` of the settings as a policy, and how the command line changes it."""

from collections.abc import Collection, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, TypeVar

from avow.core.snapshot import Source
from avow.errors import UsageError
from avow.protocol.gate.policy import Fallback, GatePolicy, OnChanged, OnServerChanged
from avow.protocol.negotiation import Controls, VersionPolicy
from avow.protocol.versions import KNOWN
from avow.system.settings import read_gate_table

_MEMBERS: Final = frozenset(
    {"on_changed", "on_server_changed", "validate_arguments", "fallback", "contract", "audit", "versions"}
)
_LINES: Final = frozenset({"preferred", "baseline", "minimum", "controls"})

Choice = TypeVar("Choice", bound=StrEnum)


def gate_policy(lockfile: Path, *, signed: bool) -> GatePolicy:
    """The policy for sessions with the servers of a lockfile, from the settings beside it.

    Where the lockfile has to be signed nothing unsigned may weaken what it is held to: no settings are read.

    Raises:
        AvowError: the settings cannot be read, or say something that does not exist.
    """
    return GatePolicy() if signed else read_gate_policy(read_gate_table(lockfile))


def read_gate_policy(table: Mapping[str, Any]) -> GatePolicy:
    """The policy that a `[gate]` table describes; an empty one is the default.

    Raises:
        UsageError: it says something that does not exist.
    """
    _refuse_unknown(table, _MEMBERS, "gate")
    versions = table.get("versions", {})
    if not isinstance(versions, Mapping):
        raise UsageError("gate.versions is not a table", hint="write [gate.versions]")
    return GatePolicy(
        on_changed=_choice(table, "on_changed", OnChanged.BLOCK),
        on_server_changed=_choice(table, "on_server_changed", OnServerChanged.REFUSE),
        validate_arguments=_flag(table, "validate_arguments"),
        versions=_versions(versions),
        source=_choice(table, "contract", Source.FROZEN),
        fallback=_choice(table, "fallback", Fallback.FREEZE),
        audit=_flag(table, "audit") or False,
    )


def _versions(table: Mapping[str, Any]) -> VersionPolicy:
    _refuse_unknown(table, _LINES, "gate.versions")
    return VersionPolicy(
        preferred=_version(table, "preferred"),
        baseline=_version(table, "baseline"),
        minimum=_version(table, "minimum"),
        controls=_choice(table, "controls", Controls.RESTRICT),
    )


def _version(table: Mapping[str, Any], member: str) -> str | None:
    version = table.get(member)
    if version is not None and version not in KNOWN:
        raise UsageError(
            f"gate.versions.{member} is not a protocol version", hint=f"one of {', '.join(KNOWN)}"
        )
    return version


def _choice(table: Mapping[str, Any], member: str, default: Choice) -> Choice:
    value = table.get(member, default)
    try:
        return type(default)(value)
    except ValueError:
        allowed = ", ".join(type(default))
        raise UsageError(f"gate.{member} is none of {allowed}", hint=f"write one of {allowed}") from None


def _flag(table: Mapping[str, Any], member: str) -> bool | None:
    value = table.get(member)
    if value is not None and not isinstance(value, bool):
        raise UsageError(f"gate.{member} is neither true nor false")
    return value


def _refuse_unknown(table: Mapping[str, Any], known: Collection[str], where: str) -> None:
    for member in table:
        if member not in known:
            from difflib import get_close_matches

            near = get_close_matches(member, known, 1)
            raise UsageError(
                f"{where} has no setting {member!r}",
                hint=f"did you mean {near[0]!r}?" if near else f"it has {', '.join(sorted(known))}",
            )
