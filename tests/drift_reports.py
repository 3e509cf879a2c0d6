"""Reports that the tests of several formats share."""

from pathlib import Path

from avow.cli.output.report import DriftReport
from avow.core.canonical import Digest
from avow.core.drift.model import Change, Drift, DriftType, Effect
from avow.core.policy import Allowed, AllowRule
from avow.core.severity import Severity
from avow.errors import ServerLaunchError
from avow.system.checking import Compared, Failed

APPROVED = Digest("sha256:" + "a" * 64)
OBSERVED = Digest("sha256:" + "b" * 64)

WIDER = Drift(
    DriftType.TOOL_CHANGED,
    "tool",
    "read_note",
    Severity.CRITICAL,
    "accepts a new optional argument 'command'",
    (
        Change(
            "/inputSchema/properties/command",
            "added",
            Effect.WIDENS,
            Severity.CRITICAL,
            "accepts a new optional argument 'command'",
        ),
    ),
)
REWORDED = Drift(
    DriftType.TOOL_CHANGED,
    "tool",
    "list_notes",
    Severity.SAFE,
    "the description has a small edit",
    (
        Change(
            "/description",
            "changed",
            Effect.WORDING,
            Severity.SAFE,
            "has a small edit",
            "List the titels of notes.",
            "List the titles of notes.",
        ),
    ),
)
HOSTILE = Drift(
    DriftType.TOOL_ADDED,
    "tool",
    "x|</td><script>`@octocat` [a](http://evil)\x1b[2J\u202e\n# title",
    Severity.CRITICAL,
    "offers to **run** `rm` for @everyone, see https://evil.example or www.evil.example",
    seen="by a client named cursor",
    hint="ask its author",
)
RULE = AllowRule("we asked for it", "2031-01-01", name="send_note")
ALLOWED = Allowed(Drift(DriftType.TOOL_ADDED, "tool", "send_note", Severity.CRITICAL, "is new"), RULE)

DRIFTED = Compared("notes", APPROVED, OBSERVED, (WIDER, REWORDED), (ALLOWED,), ("the list was cut short",))
CLEAN = Compared("files", APPROVED, APPROVED, ())
BROKEN = Failed("mail", ServerLaunchError("there is no program mailer", hint="is it installed?"))


def report(*outcomes: Compared | Failed, file: Path | None = Path("avow.lock")) -> DriftReport:
    return DriftReport(outcomes, Severity.CRITICAL, file)
