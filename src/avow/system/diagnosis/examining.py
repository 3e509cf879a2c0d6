"""Examining one server: find its package, start it unless told not to, and say what it needs."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from avow.core.canonical import JsonValue
from avow.core.configuration.model import (
    Binding,
    Configuration,
    Origin,
    Parameter,
    Source,
    Style,
    Where,
)
from avow.core.configuration.wire import read_schema
from avow.core.snapshot import Snapshot
from avow.core.target import HttpTarget, StdioTarget, Target
from avow.errors import AvowError, DeclarationError
from avow.system.connect import ConnectOptions
from avow.system.diagnosis.code.model import CodeFacts
from avow.system.diagnosis.diagnosing import diagnose
from avow.system.diagnosis.evidence import Evidence, Outcome
from avow.system.diagnosis.model import Diagnosis, Status
from avow.system.diagnosis.naming import guessed_type, looks_secret
from avow.system.diagnosis.packages import Package, environment_of, find_package
from avow.system.diagnosis.probing import Probing, merged, probe
from avow.system.diagnosis.starting import Tried, started_with, try_once
from avow.system.naming import suggest_name
from avow.system.processes import placeholders
from avow.system.targets import Reachable

_PROBING_TIMES = 4


@dataclass(frozen=True, slots=True)
class Examination:
    """How to examine a server: for how long, whether to start it at all, and whether to follow up."""

    timeout: float
    offline: bool = False
    probe: bool = False
    on_progress: Callable[[str], None] | None = field(default=None, repr=False)

    def tell(self, text: str) -> None:
        """Tell whoever wants to know what is going on."""
        if self.on_progress is not None:
            self.on_progress(text)


@dataclass(frozen=True, slots=True)
class Examined:
    """What came of it: the diagnosis, which parameters have a value, and what a working server showed."""

    diagnosis: Diagnosis
    present: frozenset[str] = frozenset()
    snapshot: Snapshot | None = None
    error: AvowError | None = field(default=None, repr=False)


def examine(
    reachable: Reachable, examination: Examination, name: str = "", declared: JsonValue = None
) -> Examined:
    """Find out what a server needs and why it fails; `declared` is what it said of that when it was locked.

    What the server does is reported, and never raised.
    """
    launch, lacking = _startable(reachable)
    known = started_with(launch, reachable.environment, reachable.headers)
    known = replace(known, declared=_declared(declared, lacking))
    if examination.offline or not _can_start(reachable):
        tried = Tried(known)
    else:
        examination.tell("starting it")
        tried = try_once(launch, _options(reachable, examination), known)
    examination.tell("reading its code")
    # After the start, since package runners download what they start.
    package = find_package(launch, environment_of(reachable.environment))
    facts = _facts(package)

    names = _names(reachable, package, tried.snapshot)

    def judge(evidence: Evidence) -> Diagnosis:
        place = package.directory if package and not package.distribution else None
        return diagnose(replace(evidence, package=place, names=names), name, facts)

    diagnosis = judge(tried.evidence)
    if (
        examination.probe
        and diagnosis.status is Status.NEEDS_CONFIGURATION
        and isinstance(reachable.target, StdioTarget)
    ):
        until = time.monotonic() + _PROBING_TIMES * examination.timeout
        probing = Probing(judge, until, examination.timeout, examination.on_progress)
        diagnosis = merged(diagnosis, probe(reachable.target, diagnosis, tried.evidence, probing))
    examination.tell("")
    return Examined(diagnosis, _present(diagnosis, tried.evidence), tried.snapshot, tried.error)


def judged(
    reachable: Reachable,
    outcome: Outcome,
    *,
    words: str = "",
    code: int | None = None,
    snapshot: Snapshot | None = None,
) -> Examined:
    """What to make of a start that somebody else made; nothing is started here."""
    launch, lacking = _startable(reachable)
    known = started_with(launch, reachable.environment, reachable.headers)
    package = find_package(launch, environment_of(reachable.environment))
    evidence = replace(
        known,
        outcome=outcome,
        stderr=words,
        exit_code=code,
        declared=_declared(snapshot.configuration_schema if snapshot else None, lacking),
        names=_names(reachable, package, snapshot),
        package=package.directory if package and not package.distribution else None,
    )
    diagnosis = diagnose(evidence, reachable.name, _facts(package))
    return Examined(diagnosis, _present(diagnosis, evidence), snapshot)


def _present(diagnosis: Diagnosis, evidence: Evidence) -> frozenset[str]:
    """The keys of the parameters that the server was given."""
    return frozenset(one.key for one in diagnosis.parameters if one.binding.name in evidence.given)


def _names(reachable: Reachable, package: Package | None, snapshot: Snapshot | None) -> tuple[str, ...]:
    """What the server and its package are called, which tells which service it is for."""
    called = package.distribution or package.directory.name if package else ""
    return tuple(filter(None, (called, snapshot.name if snapshot else "", suggest_name(reachable.target))))


def _options(reachable: Reachable, examination: Examination) -> ConnectOptions:
    return ConnectOptions(
        timeout=examination.timeout,
        env=reachable.environment,
        headers=reachable.headers,
        shown=reachable.target,
        on_progress=examination.on_progress,
    )


def _startable(reachable: Reachable) -> tuple[Target, tuple[Parameter, ...]]:
    """The target without the variables and headers that have no value, and these as parameters."""
    launch = reachable.launch
    match launch:
        case StdioTarget():
            missing = [one for one in launch.env if not _has_value(one, reachable)]
            kept = tuple(one for one in launch.env if one not in missing)
            wanted = [*missing, *(one for one in _filled_in(launch) if not _has_value(one, reachable))]
            return replace(launch, env=kept), tuple(_variable(one, Where.ENV) for one in wanted)
        case HttpTarget():
            given = {header.lower() for header in reachable.headers}
            absent = [header for header in launch.headers if header.lower() not in given]
            kept = tuple(header for header in launch.headers if header not in absent)
            return replace(launch, headers=kept), tuple(_variable(one, Where.HEADER) for one in absent)
        case _:
            return launch, ()


def _can_start(reachable: Reachable) -> bool:
    """Whether every placeholder in the command has a value: a command with holes starts something else."""
    launch = reachable.launch
    return not isinstance(launch, StdioTarget) or all(
        _has_value(one, reachable) for one in _filled_in(launch)
    )


def _filled_in(target: StdioTarget) -> Iterator[str]:
    return (name for word in (target.command, *target.args) for name in placeholders(word))


def _has_value(name: str, reachable: Reachable) -> bool:
    return bool(reachable.environment.get(name) or os.environ.get(name))


def _variable(name: str, where: Where) -> Parameter:
    """What the entry of a server names, and nobody has given."""
    return Parameter(
        name,
        Binding(where, name, Style.NAMED),
        type=guessed_type(name),
        required=True,
        secret=looks_secret(name),
        source=Source(Origin.DECLARATION, "entry", "the server's entry names it"),
    )


def _declared(schema: JsonValue, lacking: tuple[Parameter, ...]) -> Configuration | None:
    read = Configuration()
    if schema is not None:
        with suppress(DeclarationError):
            read = read_schema(schema)
    parameters = {**{one.key: one for one in lacking}, **read.parameters}
    return Configuration(parameters, read.groups) if parameters else None


def _facts(package: Package | None) -> CodeFacts:
    """What the code says; nothing where there is none, or none that can be read."""
    if package is None:
        return CodeFacts()
    from avow.system.diagnosis.code import read_package

    try:
        return read_package(package.directory, entry=package.script, distribution=package.distribution)
    except (AvowError, OSError, RecursionError, ValueError):
        return CodeFacts()
