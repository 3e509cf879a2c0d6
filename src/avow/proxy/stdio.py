"""`avow run`: one server behind the gate, on our own standard streams.

The server is started first and the gate loaded after that: both take about as long.
"""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from avow.core.target import StdioTarget
from avow.errors import AvowError, UsageError
from avow.proxy.choosing import Chosen
from avow.proxy.ending import Ending
from avow.proxy.streams import Inlet, enlarge
from avow.system.processes import child_environment, end_process_group, exit_code, expand, launch

if TYPE_CHECKING:
    from avow.protocol.events import Event
    from avow.protocol.gate.policy import GatePolicy

_STDIN: Final = 0
_STDOUT: Final = 1
_FIRST_WORDS_SECONDS: Final = 10.0
_UNABLE: Final = -32000


@contextmanager
def started(chosen: Chosen, values: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """The server, running with our standard error; nothing of it is left running afterwards.

    Raises:
        UsageError: the server is not one that a command starts.
        ServerLaunchError: it cannot be started.
    """
    target = chosen.target
    if not isinstance(target, StdioTarget):
        raise UsageError(
            f"{chosen.name} is not started by a command", hint="`avow gateway` serves it over Streamable HTTP"
        )
    arguments = [expand(part, values) for part in (target.command, *target.args)]
    directory = None if target.cwd is None else expand(target.cwd, values)
    process = launch(arguments, child_environment(target.env, values), directory, own_stderr=False)
    try:
        yield process
    finally:
        end_process_group(process)


def run_session(
    process: subprocess.Popen[bytes],
    chosen: Chosen,
    policy: "GatePolicy",
    log: "Callable[[Iterable[Event]], None]",
) -> Ending:
    """Relay between our standard streams and the server until the session is over."""
    from avow.protocol.gate import Gate
    from avow.proxy.contracts import hold
    from avow.proxy.relay import Relay, Wires

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
        )
        return relay.run()
    finally:
        os.set_blocking(_STDOUT, blocking)


def refuse_session(error: AvowError) -> None:
    """Tell a client that waits for a server why there is none, instead of just closing the connection."""
    inlet = Inlet(_STDIN, 1024 * 1024)
    ready = select.poll()
    ready.register(_STDIN, select.POLLIN)
    if os.isatty(_STDIN) or not ready.poll(_FIRST_WORDS_SECONDS * 1000):
        return
    from avow.protocol.messages import Form, UnreadableMessageError, error_response, read

    for line in filter(None, inlet.read()):
        with suppress(UnreadableMessageError):
            message = read(line)
            if message.form is Form.REQUEST:
                text = f"{error.message} ({error.hint})" if error.hint else error.message
                sys.stdout.buffer.write(error_response(message.id, _UNABLE, f"avow: {text}") + b"\n")
    with suppress(OSError):
        sys.stdout.buffer.flush()


def _signal(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.Signals(number))
