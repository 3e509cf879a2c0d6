"""What a project's settings say about its audit: the table `[audit]` of `avow.toml`."""

import difflib
import posixpath
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Final

from avow.audit.catalogue import RULES
from avow.audit.model import Finding, Level
from avow.audit.report import Report
from avow.audit.source.ignoring import Ignored
from avow.core.canonical import JsonObject
from avow.errors import UsageError

_MEMBERS: Final = ("fail_on", "ignore", "select")
_IGNORE: Final = ("rule", "path", "reason")
# The reason of what is ignored for this one run.
COMMAND_LINE: Final = "--ignore"


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """Findings of a rule that a project accepts, everywhere or under a path with `*` and `?`, and why."""

    rule: str
    reason: str
    path: str = ""

    def fits(self, finding: Finding, root: str = "") -> bool:
        """Whether the finding is one of these; a path may begin at the root of the audit or before it."""
        if finding.rule != self.rule:
            return False
        if not self.path:
            return True
        place = finding.place
        return place is not None and any(
            fnmatchcase(path, self.path) for path in (place.path, posixpath.join(root, place.path))
        )


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """Which rules count, from which level on, and what is accepted."""

    fail_on: Level = Level.MEDIUM
    select: frozenset[str] = frozenset()
    ignore: tuple[IgnoreRule, ...] = ()

    def apply(self, report: Report) -> Report:
        """The report without what is accepted; a rule that is not selected says nothing."""
        kept: list[Finding] = []
        ignored: list[Ignored] = []
        unused = [rule for rule in self.ignore if rule.reason != COMMAND_LINE]
        for finding in report.findings:
            if self.select and finding.rule not in self.select:
                continue
            rule = next((rule for rule in self.ignore if rule.fits(finding, report.subject)), None)
            if rule is None:
                kept.append(finding)
            else:
                ignored.append(Ignored(finding, rule.reason, in_source=False))
                unused = [one for one in unused if one is not rule]
        notes = (f"avow.toml ignores {rule.rule}{_under(rule)} and nothing is found there" for rule in unused)
        return replace(
            report,
            findings=tuple(kept),
            ignored=(*report.ignored, *ignored),
            notes=(*report.notes, *notes),
        )


def read_audit(table: JsonObject) -> AuditSettings:
    """The table `[audit]`, already parsed.

    Raises:
        UsageError: it says something that does not exist; a misspelt rule must not pass for none.
    """
    _refuse_unknown(table, _MEMBERS, "[audit]")
    rules = table.get("ignore", [])
    if not isinstance(rules, list):
        raise UsageError("audit.ignore is not a list of tables", hint="write [[audit.ignore]]")
    selected = table.get("select", [])
    if not isinstance(selected, list):
        raise UsageError("audit.select is not a list", hint='write select = ["AVW010"]')
    return AuditSettings(
        level(table.get("fail_on", Level.MEDIUM)),
        frozenset(rule_id(one) for one in selected),
        tuple(map(_ignore, rules)),
    )


def level(value: Any) -> Level:
    """A level by its name.

    Raises:
        UsageError: there is none of that name.
    """
    if value not in [*Level]:
        raise UsageError(f"audit.fail_on is none of {', '.join(Level)}")
    return Level(value)


def rule_id(value: Any) -> str:
    """The id of a rule that exists.

    Raises:
        UsageError: there is none of that id.
    """
    name = value.upper() if isinstance(value, str) else ""
    if name not in RULES:
        close = difflib.get_close_matches(name, RULES, n=1)
        hint = f"did you mean {close[0]}?" if close else "`avow audit --list` names them all"
        raise UsageError(f"there is no rule {value!r}", hint=hint)
    return name


def _under(rule: IgnoreRule) -> str:
    return f" under {rule.path}" if rule.path else ""


def _ignore(table: Any) -> IgnoreRule:
    if not isinstance(table, dict):
        raise UsageError("audit.ignore is not a list of tables", hint="write [[audit.ignore]]")
    _refuse_unknown(table, _IGNORE, "[[audit.ignore]]")
    reason, path = table.get("reason"), table.get("path", "")
    if not isinstance(reason, str) or not reason.strip():
        raise UsageError("an [[audit.ignore]] has no reason", hint='add reason = "…": why is it acceptable?')
    if not isinstance(path, str):
        raise UsageError("path in [[audit.ignore]] is not text")
    return IgnoreRule(rule_id(table.get("rule")), reason, path)


def _refuse_unknown(table: JsonObject, known: tuple[str, ...], place: str) -> None:
    for name in table:
        if name not in known:
            raise UsageError(f"{name!r} is not possible in {place}", hint=f"possible are {', '.join(known)}")
