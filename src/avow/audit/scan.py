"""The audit of a source tree: read it, judge what it says, and set aside what somebody accepts."""

from collections.abc import Sequence
from pathlib import Path

from avow.audit.facts import Facts
from avow.audit.model import Finding, Pattern
from avow.audit.report import Report
from avow.audit.rules import avw001, judge
from avow.audit.scorecard import scorecard
from avow.audit.source.gathering import gather
from avow.audit.source.ignoring import remarks_in, without_ignored
from avow.audit.source.tree import open_tree
from avow.errors import UnavailableError


def scan(root: Path, *, accepts: bool = True) -> Report:
    """Audit the source tree, or the one file, at a path; remarks that ask to ignore something may not count.

    Raises:
        UsageError: it is in no language that we read.
        StorageError: it cannot be read.
        UnavailableError: no file in it could be read, so that nothing can be said.
    """
    tree = open_tree(root)
    files = tuple(tree.files())
    if not files:
        why = f"; {tree.notes[0]}" if tree.notes else ""
        raise UnavailableError(
            f"nothing to audit in {root}: no Python, TypeScript or JavaScript file was read{why}",
            hint="name the directory that holds the server's source",
        )
    facts = gather(files)
    if not facts.units and facts.notes:
        raise UnavailableError(
            f"nothing in {root} that speaks of MCP could be read: {facts.notes[0]}",
            hint="name the directory that holds the server's source, not what it was built to",
        )
    told = ((file.path, remarks_in(file.path, file.text)) for file in files if accepts)
    remarks = {path: found for path, found in told if found}
    kept, ignored, remarked = without_ignored(_ordered(judge(facts)), remarks)
    undecided = tuple(dict.fromkeys(avw001.unfollowed(facts)))
    notes = [*tree.all_notes(), *facts.notes, *undecided, *remarked]
    # A file that speaks of MCP and was not read may hold anything: nobody looked there.
    is_whole = facts.is_whole and not tree.unread
    if not facts.servers:
        notes.append("no MCP server was found in the files that were read")
    return Report(
        str(root),
        kept,
        scorecard(
            [*kept, *(each.finding for each in ignored)],
            looked=_looked(facts, undecided) if is_whole else frozenset(),
            not_applicable=_not_applicable(facts) if is_whole else frozenset(),
        ),
        ignored,
        tuple(notes),
        len(files),
    )


def _ordered(findings: Sequence[Finding]) -> list[Finding]:
    return sorted(set(findings), key=lambda finding: (finding.place is None, finding.place, finding.rule))


def _looked(facts: Facts, undecided: Sequence[str]) -> frozenset[Pattern]:
    if not facts.servers:
        return frozenset()
    if undecided or not facts.follows_declarations:
        return frozenset(Pattern) - {Pattern.MINIMAL_DECLARATION}
    return frozenset(Pattern)


def _not_applicable(facts: Facts) -> frozenset[Pattern]:
    """A server that asks nothing of its clients cannot ask without looking."""
    return frozenset() if facts.uses or not facts.servers else frozenset({Pattern.CLIENT_CAPABILITIES})
