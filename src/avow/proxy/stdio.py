"""`avow run`: one server behind the gate, on our own standard streams."""

import os
import select
import signal
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Final

from avow.core.target import StdioTarget
from avow.errors import AvowError, UsageError
from avow.protocol.events import Event
from avow.proxy.contracts import Held
from avow.proxy.ending import Ending
from avow.system.processes import child_environment, end_process_group, exit_code, expand, launch

_STDIN: Final = 0
_STDOUT: Final = 1
_FIRST_WORDS_SECONDS: Final = 10.0
_UNABLE: Final = -32000


def run_session(held: Held, values: Mapping[str, str], log: Callable[[Iterable[Event]], None]) -> Ending:
    """Start the server and relay until the session is over; nothing of it is left running.

    The server's standard error is ours.

    Raises:
        UsageError: the server is not one that a command starts.
        ServerLaunchError: it cannot be started.
    """
    if not isinstance(held.target, StdioTarget):
        raise UsageError(
            f"{held.name} is not started by a command", hint="`avow gateway` serves it over Streamable HTTP"
        )
    arguments = [expand(part, values) for part in (held.target.command, *held.target.args)]
    directory = None if held.target.cwd is None else expand(held.target.cwd, values)
    process = launch(arguments, child_environment(held.target.env, values), directory, own_stderr=False)
    assert process.stdin is not None
    assert process.stdout is not None
    to_server = os.dup(process.stdin.fileno())
    process.stdin.close()
    try:
        # The server starts up while we load the rest.
        from avow.protocol.gate import Gate
        from avow.proxy.relay import Relay, Wires

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
    finally:
        end_process_group(process)


def refuse_session(error: AvowError) -> None:
    """Tell a client that waits for a server why there is none, instead of just closing the connection."""
    from avow.proxy.streams import Inlet

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
