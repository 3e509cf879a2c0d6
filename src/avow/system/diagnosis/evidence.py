"""The facts that a diagnosis is made from: how a server was started, and what came of it.

A recording and a live server give the same facts, so that both are judged by the same rules.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from avow.core.configuration.model import Configuration

LONGEST_OUTPUT: Final = 1024 * 1024


class Outcome(StrEnum):
    """How far a server came."""

    OK = "ok"
    EXITED = "exited"
    REFUSED = "refused"
    NO_LISTS = "no_lists"
    HTTP = "http"
    SILENT = "silent"
    NOT_STARTED = "not_started"
    NOT_TRIED = "not_tried"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known about one server at one start.

    `command` is how it was started, without anybody's values. `stdout` is what it printed that was no
    protocol; `messages` are the texts of JSON-RPC errors and of log messages that came as protocol.
    `given` are the names of variables and flags that it was started with, and therefore does not lack.
    `listening` are addresses on which it waits for somebody. `declared` is what it says itself that it needs,
    and `package` the directory of the installed package. `names` are those of the server and its package.
    """

    outcome: Outcome
    command: tuple[str, ...] = ()
    given: frozenset[str] = frozenset()
    exit_code: int | None = None
    stderr: str = ""
    stdout: str = ""
    messages: tuple[str, ...] = ()
    listening: tuple[str, ...] = ()
    tools: int | None = None
    names: tuple[str, ...] = ()
    declared: Configuration | None = None
    package: Path | None = None

    @property
    def has_failed(self) -> bool:
        """Whether it was started and is of no use."""
        return self.outcome not in (Outcome.OK, Outcome.NOT_TRIED)
