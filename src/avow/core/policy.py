"""What the user's settings make of drift: other severities, what is allowed for a while, a threshold."""

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Final, TypeAlias

from avow.core.canonical import JsonObject, JsonValue
from avow.core.drift.model import Change, Drift, DriftType
from avow.core.severity import Severity
from avow.errors import UsageError

_SECTIONS: Final = ("fail_on", "severity", "allow", "gate", "audit")
_SELECTORS: Final = ("server", "type", "name", "path")
_RULE_MEMBERS: Final = (*_SELECTORS, "reason", "expires")
_DATE: Final = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])")

# A list that cannot be read hides everything else that may have changed: no setting makes that acceptable.
_FIXED: Final = frozenset({DriftType.SIGNATURE_MALFORMED})


@dataclass(frozen=True, slots=True)
class AllowRule:
    """Drift that somebody accepts until a day, for a reason; an empty selector fits everything.

    `server` and `name` are patterns with `*` and `?`. A rule with a `path`, a pattern too, allows a
    change only when everything that changed lies there.
    """

    reason: str
    expires: str
    server: str = ""
    type: str = ""
    name: str = ""
    path: str = ""

    def is_expired(self, today: str) -> bool:
        """Whether the last day of the rule is over; days are written `YYYY-MM-DD`."""
        return today > self.expires

    def fits(self, server: str, drift: Drift) -> bool:
        """Whether the rule is about this drift of this server."""
        return (
            drift.type not in _FIXED
            and (not self.type or self.type == drift.type)
            and (not self.server or fnmatchcase(server, self.server))
            and (not self.name or fnmatchcase(drift.name, self.name))
            and (not self.path or self._covers(drift.changes))
        )

    def _covers(self, changes: tuple[Change, ...]) -> bool:
        return bool(changes) and all(
            fnmatchcase(change.path, self.path) or change.path.startswith(f"{self.path}/")
            for change in changes
        )


@dataclass(frozen=True, slots=True)
class Policy:
    """The settings that concern drift; `gate` and `audit` are passed on as they were written."""

    severities: Mapping[DriftType, Severity] = field(default_factory=dict)
    allow: tuple[AllowRule, ...] = ()
    fail_on: Severity = Severity.CRITICAL
    gate: JsonObject = field(default_factory=dict)
    audit: JsonObject = field(default_factory=dict)

    def expired(self, today: str) -> tuple[AllowRule, ...]:
        """The rules that no longer apply and should be renewed or removed."""
        return tuple(rule for rule in self.allow if rule.is_expired(today))


@dataclass(frozen=True, slots=True)
class Allowed:
    """Drift that a rule allows."""

    drift: Drift
    rule: AllowRule


@dataclass(frozen=True, slots=True)
class Allow:
    """Nothing differs."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Something differs, below the threshold: a person may want to look."""

    about: tuple[Drift, ...]


@dataclass(frozen=True, slots=True)
class Deny:
    """Something differs at or above the threshold."""

    because: tuple[Drift, ...]


Decision: TypeAlias = Allow | Ask | Deny


def apply(
    policy: Policy, server: str, drifts: Iterable[Drift], *, today: str
) -> tuple[tuple[Drift, ...], tuple[Allowed, ...]]:
    """Rate drift as the policy says, and set aside what a rule allows today: (kept, allowed)."""
    rules = [rule for rule in policy.allow if not rule.is_expired(today)]
    kept: list[Drift] = []
    allowed: list[Allowed] = []
    for drift in drifts:
        rated = replace(drift, severity=policy.severities.get(drift.type, drift.severity))
        rule = next((rule for rule in rules if rule.fits(server, rated)), None)
        if rule is None:
            kept.append(rated)
        else:
            allowed.append(Allowed(rated, rule))
    return tuple(kept), tuple(allowed)


def decide(drifts: Iterable[Drift], policy: Policy) -> Decision:
    """What to do about the drift that `apply` kept."""
    kept = tuple(drifts)
    if grave := tuple(drift for drift in kept if drift.severity >= policy.fail_on):
        return Deny(grave)
    return Ask(kept) if kept else Allow()


def read_policy(data: JsonObject) -> Policy:
    """The policy that a settings file holds, already parsed; dates are strings.

    Raises:
        UsageError: a table, key or value that does not exist. A misspelt rule must not pass for none.
    """
    _refuse_unknown(data, _SECTIONS, "the settings")
    severities = _table(data, "severity")
    _refuse_unknown(severities, [str(type_) for type_ in DriftType if type_ not in _FIXED], "[severity]")
    rules = data.get("allow", [])
    if not isinstance(rules, list):
        raise UsageError("allow is not a list of tables", hint="write [[allow]], with two brackets")
    return Policy(
        severities={
            DriftType(name): _severity(value, f"severity.{name}") for name, value in severities.items()
        },
        allow=tuple(_read_rule(rule) for rule in rules),
        fail_on=_severity(data.get("fail_on", Severity.CRITICAL), "fail_on"),
        gate=_table(data, "gate"),
        audit=_table(data, "audit"),
    )


def _read_rule(data: JsonValue) -> AllowRule:
    if not isinstance(data, dict):
        raise UsageError("allow is not a list of tables", hint="write [[allow]], with two brackets")
    _refuse_unknown(data, _RULE_MEMBERS, "[[allow]]")
    for member, value in data.items():
        if not isinstance(value, str):
            raise UsageError(f"{member} in [[allow]] is not text")
    rule = AllowRule(**{"reason": "", "expires": "", **data})
    if not rule.reason.strip():
        raise UsageError("an [[allow]] rule has no reason", hint='add reason = "…": why is this acceptable?')
    if _DATE.fullmatch(rule.expires) is None:
        raise UsageError("an [[allow]] rule has no expiry date", hint="add expires = 2030-12-31")
    if not any(getattr(rule, selector) for selector in _SELECTORS):
        raise UsageError(
            "an [[allow]] rule would allow everything", hint=f"add one of {', '.join(_SELECTORS)}"
        )
    if rule.type:
        _refuse_unknown({rule.type: ""}, [str(type_) for type_ in DriftType if type_ not in _FIXED], "type")
    return rule


def _table(data: JsonObject, name: str) -> JsonObject:
    table = data.get(name, {})
    if not isinstance(table, dict):
        raise UsageError(f"{name} is not a table", hint=f"write [{name}]")
    return table


def _severity(value: JsonValue, place: str) -> Severity:
    if not isinstance(value, str) or value not in [*Severity]:
        raise UsageError(f"{place} is none of {', '.join(Severity)}")
    return Severity(value)


def _refuse_unknown(data: JsonObject, known: Iterable[str], place: str) -> None:
    names = list(known)
    for name in data:
        if name not in names:
            close = difflib.get_close_matches(name, names, n=1)
            hint = f"did you mean {close[0]}?" if close else f"possible are {', '.join(names)}"
            raise UsageError(f"{name!r} is not possible in {place}", hint=hint)
