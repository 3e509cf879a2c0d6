"""Reading a package: its program is followed in thought from where it starts, to see what it asks for."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from avow.system.diagnosis.code.engine import Engine
from avow.system.diagnosis.code.facts import facts_of
from avow.system.diagnosis.code.ground import OutOfReachError, Returned, Stopped
from avow.system.diagnosis.code.ledger import LIKELY, Ledger
from avow.system.diagnosis.code.model import CodeFacts
from avow.system.diagnosis.code.package import Package, Start, open_package
from avow.system.diagnosis.code.values import Request, Truth

MOST_SECONDS: Final = 10.0
_MOST_RUNS: Final = 4
_STEPS_AT_CALL: Final = 60_000
_IN_PART: Final = "the program was followed only in part: there is more of it than fits the limits"
# Numbers that are too long to be written, or too large to be added, and what does not fit the memory.
_TOO_MUCH: Final = (ArithmeticError, MemoryError, ValueError)


def read_package(
    directory: Path,
    *,
    entry: Path | None = None,
    distribution: str = "",
    program: str = "",
    seconds: float = MOST_SECONDS,
) -> CodeFacts:
    """What the code of an installed package takes from its environment and its command line.

    `directory` is what holds `package.json`, a Python import package, its `.dist-info`, or the directory that
    `distribution` is installed to. `program` names one of several programs, `entry` a file to start from.
    Hostile or broken code costs a note at most, and `seconds` of computing.
    """
    deadline = time.thread_time() + seconds
    package, starts = open_package(directory, entry=entry, distribution=distribution, program=program)
    package.is_late = lambda: time.thread_time() > deadline
    ledger = Ledger()
    if not starts:
        ledger.note("no program to start from was found in the package")
        return facts_of(ledger, serves=False)
    engine = _followed(package, starts[0], ledger, package.is_late)
    _follow_calls(engine)
    return facts_of(ledger, serves=engine.serves)


def _followed(package: Package, start: Start, ledger: Ledger, is_late: Callable[[], bool]) -> Engine:
    """Follow the program again and again, each time with what it asked for before, until it asks no more.

    A program that complains and ends without an error is taken at its word when it never came to serve.
    """
    given: set[str] = set()
    engine = Engine(package, ledger, is_late)
    for _ in range(_MOST_RUNS):
        engine = Engine(package, ledger, is_late)
        engine.given |= given
        _run(engine, start)
        early = [(ways, place) for ways, place in engine.early if not any(way <= given for way in ways)]
        if engine.given == given and early and not engine.serves:
            ways, place = early[0]
            ledger.demand(ways, (), place, "the program gives up when it is missing", LIKELY)
            engine.given |= ways[0]
        if engine.given == given or is_late():
            break
        given = engine.given
    return engine


def _run(engine: Engine, start: Start) -> None:
    path = start.path.resolve()
    if not start.function:
        engine.entry = path
    try:
        module = engine.load(path)
        if module is None or not start.function:
            return
        value = module.exported(start.function.partition(".")[0])
        for _ in range(20):
            try:
                if value is not None:
                    engine.call(value, Request((), {}, 0, module))
            except Stopped as stop:
                if engine.settle_stop(stop, Truth(None), stop.place):
                    continue
            return
    except (OutOfReachError, *_TOO_MUCH):
        engine.ledger.note(_IN_PART)
    except (Stopped, Returned, RecursionError):
        return


def _follow_calls(engine: Engine) -> None:
    """What was handed over to be called later runs when a tool is called."""
    engine.ledger.at_start = False
    engine.allow(_STEPS_AT_CALL)
    try:
        for closure in (*engine.waiting, *engine.uncalled()):
            if id(closure.function) not in engine.called:
                engine.follow(closure)
    except (OutOfReachError, *_TOO_MUCH):
        engine.ledger.note("not every tool was followed: there is more code than fits the limits")
