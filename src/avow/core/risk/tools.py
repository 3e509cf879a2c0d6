"""Rates a tool: each rule looks for one line of the rubric in the definition; the highest finding decides."""

import re
from collections.abc import Iterator
from typing import Final

from avow.core.canonical import JsonObject
from avow.core.risk import words
from avow.core.risk.arguments import argument_findings
from avow.core.risk.model import Finding, Level, quoted
from avow.core.risk.reading import Evidence, read_tool
from avow.core.risk.verbs import judge, only_adds, public_source

UNKNOWN: Final = "nothing in the definition shows that it is harmless"

_COST: Final = re.compile(
    r"\bincurs? (?:a |any )?(?:cost|charge|fee)|\bcost warning\b|\bwill be (?:charged|billed)\b"
    r"|\bcosts? (?:money|credits)\b|\bconsumes? credits\b|\bpaid (?:api|feature|operation)\b",
    re.IGNORECASE,
)
_RUNS_CODE: Final = re.compile(
    r"\b(?:execut|evaluat|run)(?:e|es|s|ing)? (?:(?:a|an|any|the|arbitrary|custom|given|provided) ){0,2}"
    r"(?:shell|bash|python|javascript|js|system|terminal|arbitrary|os)\b",
    re.IGNORECASE,
)
_IRREVERSIBLE: Final = re.compile(
    r"\b(?:permanently|irreversibl[ey]|cannot be undone|can't be undone|overwrit(?:e|es|ing))\b",
    re.IGNORECASE,
)
_NEGATION: Final = re.compile(
    r"\b(?:not|no|never|without|avoid|won't|cannot|can't|doesn't|don't|prevents?|refuses?|instead of)\W",
    re.IGNORECASE,
)
# How far before a word a negation still means it: "does not ever overwrite".
_NEGATION_REACH: Final = 24

# The specification's defaults. Toolkits that write them into every tool say nothing about this one.
_DEFAULT_HINTS: Final = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}


def tool_findings(definition: JsonObject) -> Iterator[Finding]:
    """Everything that a tool's definition shows about what a call can do."""
    evidence = read_tool(definition)
    # What was not read may hold anything.
    yield from (Finding(Level.MEDIUM, reason) for reason in evidence.capped)
    for statement in evidence.statements:
        yield judge(statement, evidence)
    yield from argument_findings(evidence)
    yield from _text_findings(evidence)
    yield from _annotation_findings(evidence)
    if not evidence.statements:
        yield _unspoken(evidence)


def _text_findings(evidence: Evidence) -> Iterator[Finding]:
    patterns = [_COST, _RUNS_CODE]
    if any(statement.verb in words.MUTATE for statement in evidence.statements):
        patterns.append(_IRREVERSIBLE)
    for pattern in patterns:
        for found in pattern.finditer(evidence.text):
            if not _NEGATION.search(evidence.text, max(0, found.start() - _NEGATION_REACH), found.start()):
                yield Finding(Level.HIGH, f"description says {quoted(found[0])}")
                break


def _annotation_findings(evidence: Evidence) -> Iterator[Finding]:
    """An annotation may raise the level and never lowers it: the server wrote it itself."""
    hints = evidence.annotations
    if all(hints.get(hint) is default for hint, default in _DEFAULT_HINTS.items()):
        return
    read_only, destructive = hints.get("readOnlyHint"), hints.get("destructiveHint")
    if destructive is True and read_only is not True and not only_adds(evidence):
        yield Finding(Level.HIGH, "annotation destructiveHint is true")
    # Without a word about it the specification takes a tool that changes something to be destructive.
    if read_only is False and destructive is not False:
        yield Finding(Level.MEDIUM, "annotation readOnlyHint is false")


def _unspoken(evidence: Evidence) -> Finding:
    """Nothing said what the tool does: only a plain sign of harmlessness makes it low."""
    if source := public_source(evidence):
        return Finding(Level.LOW, f"public or reference data ({quoted(source)})")
    return Finding(Level.MEDIUM, UNKNOWN)
