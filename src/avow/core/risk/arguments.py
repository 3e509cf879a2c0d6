"""Rates what the arguments of a tool show: commands, queries, addresses, paths, choices and switches."""

import re
from collections.abc import Iterator
from typing import Final

from avow.core.risk import words
from avow.core.risk.model import Finding, Level, quoted
from avow.core.risk.reading import Evidence
from avow.core.risk.schema import Argument
from avow.core.risk.sentences import base_form, tokens
from avow.core.risk.verbs import query

_IS_RUN: Final = re.compile(r"\bexecut|\brun\b|\bevaluat|\bshell\b|\bcommand\b")
_FILE_OR_ADDRESS: Final = re.compile(
    r"\b(?:file|local) path\b|\bpath to\b|\bfile:|\bhttps? url\b|\burl (?:of|or)\b"
)
_DANGEROUS_CHOICES: Final = words.DESTROY | words.DETACH | words.SPEND | words.EXECUTE | words.PUBLISH


def argument_findings(evidence: Evidence) -> Iterator[Finding]:
    """What each argument shows."""
    verbs = [statement.verb for statement in evidence.statements]
    computes = bool(verbs) and words.COMPUTE.issuperset(verbs)
    keeps = not words.KEEP.isdisjoint(verbs)
    asked = query(evidence)
    for argument in evidence.arguments:
        label = f"argument {quoted(argument.name)}"
        if argument.values and argument.words & words.SELECTOR_ARGUMENTS:
            yield from _choices(argument, label)
        elif not computes and argument.words & words.QUERY_ARGUMENTS:
            yield Finding(asked[0], f"{label} is {asked[1]}")
        else:
            yield from _code(argument, label, computes=computes)
        if keeps and not argument.nested and argument.words & words.CREDENTIALS:
            yield Finding(Level.HIGH, f"{label} is a credential that it keeps")
        if argument.is_text:
            yield from _places(argument, label, evidence)
        if "boolean" in argument.types and not argument.nested and argument.words & words.FLAGS:
            yield Finding(Level.HIGH, f"{label} can be switched on")


def _code(argument: Argument, label: str, *, computes: bool) -> Iterator[Finding]:
    name = argument.name.lower()
    is_run = bool(_IS_RUN.search(argument.description))
    if name in words.COMMAND_ARGUMENTS:
        # A described argument that nobody speaks of running may be the name of a command, not one to run.
        named = computes or (bool(argument.description) and not is_run)
        yield Finding(*((Level.MEDIUM, f"{label} may be run") if named else (Level.HIGH, f"{label} is run")))
    elif name in words.CODE_ARGUMENTS and is_run and not computes:
        yield Finding(Level.HIGH, f"{label} is run")


def _choices(argument: Argument, label: str) -> Iterator[Finding]:
    for value in argument.values:
        if value.lower() in words.WRITING_METHODS or _chosen_verb(value):
            yield Finding(Level.HIGH, f"{label} may be {quoted(value)}")


def _chosen_verb(value: str) -> str | None:
    """The verb of a choice: "delete" in "delete_file", nothing in "merge_train_removed"."""
    first, *more = tokens(value) or ("",)
    verb = base_form(first, _DANGEROUS_CHOICES)
    return None if more and verb in words.WEAK_VERBS else verb


def _places(argument: Argument, label: str, evidence: Evidence) -> Iterator[Finding]:
    if argument.words & words.PATH_WORDS and not argument.words & words.ABOUT_FILES:
        fetched = "local" in argument.words and any(s.verb in words.FETCH for s in evidence.statements)
        if fetched or argument.words & words.OUTPUT_WORDS:
            yield Finding(Level.HIGH, f"{label} says where a file is written")
        else:
            yield Finding(Level.MEDIUM, f"{label} names a file")
    elif argument.words & words.ADDRESS_WORDS:
        # "YouTube video URL": the address is only a way to name something on one public site.
        if not words.FIXED_SITES & evidence.topic and not words.FIXED_SITES & set(
            argument.description.split()
        ):
            yield Finding(Level.MEDIUM, f"{label} is an address that the server contacts")
    elif _FILE_OR_ADDRESS.search(argument.description):
        yield Finding(Level.MEDIUM, f"{label} may name a file or an address")
