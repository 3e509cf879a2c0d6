"""`avow run`: one server behind the gate, on our own standard streams.

The server is started first and the gate loaded after that: both take about as long.
"""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from avow.core.target import StdioTarget
from avow.errors import AvowError, ServerLaunchError, UsageError
from avow.proxy.choosing import Chosen
from avow.proxy.departing import Departure, Explain, Overheard, quote_words, safe_words
from avow.proxy.ending import Ending
from avow.proxy.streams import Inlet, LineTooLongError, enlarge
from avow.system.configuration.starting import filled
from avow.system.configuration.variables import target_names
from avow.system.processes import child_environment, end_process_group, exit_code, expand, launch

if TYPE_CHECKING:
    from avow.protocol.events import Event
    from avow.protocol.gate.policy import GatePolicy
    from avow.system.configuration.preflight import Ready

_STDIN: Final = 0
_STDOUT: Final = 1
_STDERR: Final = 2
_FIRST_WORDS_SECONDS: Final = 10.0
_LAST_MOMENTS_SECONDS: Final = 0.5
_UNABLE: Final = -32000


@dataclass(frozen=True, slots=True)
class Running:
    """A server that was started: its process, its words if we hear them, and the values it was given."""

    process: subprocess.Popen[bytes]
    overheard: Overheard | None
    values: Mapping[str, str] = field(repr=False)


@contextmanager
def started(chosen: Chosen, values: Mapping[str, str], ready: "Ready | None" = None) -> Iterator[Running]:
    """The server, running, with its standard error passed on to ours; nothing of it is left afterwards.

    `values` are variables for it, and `ready` what its user configured.

    Raises:
        UsageError: the server is not one that a command starts.
        ServerLaunchError: it cannot be started.
    """
    target = filled(chosen.target, ready)
    if not isinstance(target, StdioTarget):
        raise UsageError(
            f"{chosen.name} is not started by a command", hint="`avow gateway` serves it over Streamable HTTP"
        )
    if ready is not None:
        values = {**ready.environment, **values}
    arguments = [expand(part, values) for part in (target.command, *target.args)]
    directory = None if target.cwd is None else expand(target.cwd, values)
    # A person at a terminal sees the server's words as the server shows them to one.
    listens = not os.isatty(_STDERR)
    process = launch(arguments, child_environment(target.env, values), directory, own_stderr=listens)
    overheard = None
    try:
        if process.stderr is not None:
            overheard = Overheard(process.stderr.fileno())
        own = {name: os.environ[name] for name in target_names(target) if name in os.environ}
        secrets = {} if ready is None else ready.secrets
        yield Running(process, overheard, {**own, **values, **secrets})
    finally:
        end_process_group(process)
        if overheard is not None:
            overheard.wait()


def run_session(
    running: Running,
    chosen: Chosen,
    policy: "GatePolicy",
    log: "Callable[[Iterable[Event]], None]",
    explain: Explain = quote_words,
) -> Ending:
    """Relay between our standard streams and the server until the session is over.

    `explain` finds words for a server that leaves before it has answered anything.
    """
    from avow.protocol.gate import Gate
    from avow.proxy.contracts import hold
    from avow.proxy.relay import Relay, Wires

    process = running.process
    assert process.stdin is not None
    assert process.stdout is not None
    held = hold(chosen, policy)
    to_server = os.dup(process.stdin.fileno())
    process.stdin.close()
    for descriptor in (to_server, process.stdout.fileno(), _STDIN, _STDOUT):
        enlarge(descriptor)
    os.set_blocking(to_server, False)
    blocking = os.get_blocking(_STDOUT)
    os.set_blocking(_STDOUT, False)
    try:
        relay = Relay(
            Gate(held.contract, held.policy, held.name),
            Wires(_STDIN, _STDOUT, process.stdout.fileno(), to_server),
            limit=held.policy.limits.message_bytes,
            log=log,
            server_has_exited=lambda: exit_code(process) is not None,
            signal_server=lambda number: _signal(process.pid, number),
            explain=lambda reason, noise: explain(_departure(running, reason, noise)),
        )
        ending = relay.run()
    finally:
        os.set_blocking(_STDOUT, blocking)
    if relay.unheard:
        refuse_session(ServerLaunchError(f"the server is gone ({relay.unheard})"))
    return ending


def refuse_session(error: AvowError, *, stay: bool = False) -> None:
    """Tell a client that waits for a server why there is none, instead of just closing the connection.

    Whatever it asks first is answered; with `stay`, whatever it asks until it leaves.
    """
    if os.isatty(_STDIN):
        return
    inlet = Inlet(_STDIN, 1024 * 1024)
    ready = select.poll()
    ready.register(_STDIN, select.POLLIN)
    with suppress(OSError, LineTooLongError):
        while ready.poll(None if stay else _FIRST_WORDS_SECONDS * 1000):
            answers = [answer for line in inlet.read() if line for answer in _refusal(line, error)]
            _write_all(answers)
            if inlet.ended or (answers and not stay):
                return


def _refusal(line: bytes, error: AvowError) -> Iterator[bytes]:
    """The answer to a request; to anything else there is none."""
    from avow.protocol.messages import Form, UnreadableMessageError, error_response, read
    from avow.system.configuration.preflight import CONFIGURATION_NEEDED, ConfigurationNeededError

    with suppress(UnreadableMessageError):
        message = read(line)
        if message.form is Form.REQUEST:
            text = f"{error.message} ({error.hint})" if error.hint else error.message
            if isinstance(error, ConfigurationNeededError):
                yield error_response(message.id, CONFIGURATION_NEEDED, f"avow: {text}", error.data)
            else:
                yield error_response(message.id, _UNABLE, f"avow: {text}")


def _write_all(lines: Iterable[bytes]) -> None:
    for line in lines:
        sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def _departure(running: Running, reason: str, noise: bytes) -> Departure:
    """How the server left; it may not be gone entirely yet, nor its last words be here."""
    until = time.monotonic() + _LAST_MOMENTS_SECONDS
    while (code := exit_code(running.process)) is None and time.monotonic() < until:
        time.sleep(0.005)
    if running.overheard is not None:
        running.overheard.wait()
        errors = running.overheard.words(running.values)
    else:
        errors = ""
    return Departure(reason, code, errors, safe_words(noise, running.values))


def _signal(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.Signals(number))
