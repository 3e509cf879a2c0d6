"""What a project's settings say about its audit: the table `[audit]` of `avow.toml`."""

import difflib
import posixpath
from collections.abc import Iterator, Sequence
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
    """Which rules count, from which level on, and what is accepted.

    `said` has those of its members that a file said, by name, and `source` is that file: whoever audits
    somebody else's code wants to know what that code says about its own audit.
    """

    fail_on: Level = Level.MEDIUM
    select: frozenset[str] = frozenset()
    ignore: tuple[IgnoreRule, ...] = ()
    said: frozenset[str] = frozenset()
    source: str = "avow.toml"

    def with_options(
        self, fail_on: str | None, select: Sequence[str], ignore: Sequence[str]
    ) -> "AuditSettings":
        """The same, with what the command line says on top.

        Raises:
            UsageError: it names a rule that does not exist.
        """
        overruled = {name for name, value in (("fail_on", fail_on), ("select", select)) if value}
        return replace(
            self,
            fail_on=Level(fail_on) if fail_on else self.fail_on,
            select=frozenset(map(rule_id, select)) or self.select,
            ignore=(*(IgnoreRule(rule_id(one), COMMAND_LINE) for one in ignore), *self.ignore),
            said=self.said - overruled,
        )

    def apply(self, report: Report) -> Report:
        """The report without what is accepted; a rule that is not selected says nothing."""
        kept: list[Finding] = []
        ignored: list[Ignored] = []
        dropped: list[Finding] = []
        unused = [rule for rule in self.ignore if rule.reason != COMMAND_LINE]
        for finding in report.findings:
            if self.select and finding.rule not in self.select:
                dropped.append(finding)
                continue
            rule = next((rule for rule in self.ignore if rule.fits(finding, report.subject)), None)
            if rule is None:
                kept.append(finding)
            else:
                ignored.append(Ignored(finding, rule.reason, in_source=False))
                unused = [one for one in unused if one is not rule]
        return replace(
            report,
            findings=tuple(kept),
            ignored=(*report.ignored, *ignored),
            notes=(*report.notes, *self._notes(dropped, ignored, unused)),
        )

    def _notes(
        self, dropped: Sequence[Finding], ignored: Sequence[Ignored], unused: Sequence[IgnoreRule]
    ) -> Iterator[str]:
        """What a file says about the audit, and what it took away."""
        if "select" in self.said:
            others = ", ".join(sorted({finding.rule for finding in dropped}))
            yield (
                f"{self.source} selects {', '.join(sorted(self.select))} only; left out by that: "
                + (f"{len(dropped)} of {others}" if dropped else "nothing")
            )
        if "fail_on" in self.said:
            yield f"{self.source} sets fail_on to {self.fail_on}: what is below does not end with 1"
        by_file = sum(one.reason != COMMAND_LINE for one in ignored)
        if by_file:
            yield f"{self.source} accepts {by_file} of what was found; --no-settings reads without it"
        for rule in unused:
            yield f"{self.source} ignores {rule.rule}{_under(rule)} and nothing is found there"


def read_audit(table: JsonObject, source: str = "avow.toml") -> AuditSettings:
    """The table `[audit]` of a file, already parsed.

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
        frozenset(table),
        source,
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
