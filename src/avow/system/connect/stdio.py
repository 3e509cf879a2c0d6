"""A server as a program on standard streams: started as a group of its own, and ended with all it started."""

import shlex
import time
from typing import Final

from avow.core.printable import printable
from avow.core.target import StdioTarget
from avow.errors import AvowError
from avow.system.connect.channel import LineChannel
from avow.system.connect.options import ConnectOptions, ServerExitedError
from avow.system.connect.starting import Program
from avow.system.connect.words import quoted, secrets_of
from avow.system.processes import exit_code

_LONGEST_LABEL: Final = 100


def server_label(target: StdioTarget) -> str:
    """What to call the server before it has said its name: its command line, without credentials."""
    from avow.core.credentials import shown_command

    words = (word if word.endswith("***") else shlex.quote(word) for word in shown_command(target))
    return printable(" ".join(words), _LONGEST_LABEL, fold=True)


class StdioChannel(LineChannel):
    """A running program."""

    def __init__(self, target: StdioTarget, options: ConnectOptions, program: Program) -> None:
        """Talk to the program, which is ended with the channel."""
        self._program = program
        self._process = process = program.process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        super().__init__(
            server_label(options.shown if isinstance(options.shown, StdioTarget) else target),
            process.stdout.fileno(),
            process.stdin.fileno(),
            process.stderr.fileno(),
            options.limits,
            secrets_of(target, program.values, options.headers, shown=options.shown),
        )

    def close(self) -> None:
        """End the program and everything that it started."""
        self._program.end()

    def _idle(self) -> None:
        # A child that holds the pipes open would hide that the server itself is gone.
        if exit_code(self._process):
            self._has_ended = True

    def _ended(self) -> AvowError:
        until = time.monotonic() + 0.5
        while (code := exit_code(self._process)) is None and time.monotonic() < until:
            time.sleep(0.005)
        self._drain_aside(0.5)
        words = self.words()
        match code:
            case None:
                what = "closed its output"
            case _ if code < 0:
                what = f"was ended by signal {-code}"
            case _:
                what = f"exited with code {code}"
        return ServerExitedError(
            f"{self.server} {what} before it had answered{quoted(words) or ' and said nothing'}",
            hint="start it by hand to see what it needs; variables are passed with -e NAME=VALUE",
            output=words,
            code=code,
        )
