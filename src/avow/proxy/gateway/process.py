"""A stdio server under the event loop: lines out, lines in, and no stream that grows without bound."""

import asyncio
import os
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from avow.core.target import StdioTarget
from avow.proxy.contracts import Held
from avow.proxy.streams import Inlet, LineTooLongError, Outlet
from avow.system.processes import child_environment, end_process_group, exit_code, expand, launch

HIGH_MARK: Final = 1024 * 1024
_PATIENCE: Final = 1.0
_LOOK_SECONDS: Final = 0.5


class ServerProcess:
    """A running server; `on_line` gets each line it writes, `on_end` the reason when it writes no more."""

    def __init__(self, process: subprocess.Popen[bytes], limit: int) -> None:
        """Take over a process that was just started, from within the event loop."""
        assert process.stdin is not None
        assert process.stdout is not None
        self.on_line: Callable[[bytes], None] = lambda _: None
        self.on_end: Callable[[str], None] = lambda _: None
        self.ended = False
        self._process = process
        self._loop = asyncio.get_running_loop()
        self._inlet = Inlet(process.stdout.fileno(), limit)
        self._outlet = Outlet(os.dup(process.stdin.fileno()))
        process.stdin.close()
        os.set_blocking(self._outlet.descriptor, False)
        os.set_blocking(self._inlet.descriptor, False)
        self._paused = False
        # Set while the server keeps up with what it is sent, and once nothing is sent any more.
        self.room = asyncio.Event()
        self.room.set()
        self._loop.add_reader(self._inlet.descriptor, self._read)
        self._watch = self._loop.call_later(_LOOK_SECONDS, self._look)

    @classmethod
    async def start(cls, held: Held, target: StdioTarget, values: Mapping[str, str]) -> "ServerProcess":
        """Start a locked server as approved, which is `target` with its user's values; its errors are ours.

        Raises:
            ServerLaunchError: it cannot be started.
        """
        arguments = [expand(part, values) for part in (target.command, *target.args)]
        directory = None if target.cwd is None else expand(target.cwd, values)
        environment = child_environment(target.env, values)
        process = await asyncio.to_thread(launch, arguments, environment, directory, own_stderr=False)
        return cls(process, held.policy.limits.message_bytes)

    def send(self, line: bytes) -> None:
        """Write a line, now or as soon as the server reads."""
        if self.ended:
            return
        self._outlet.send((line,))
        if self._outlet.backlog:
            self._loop.add_writer(self._outlet.descriptor, self._flush)
            if self._outlet.backlog > HIGH_MARK:
                self.room.clear()

    def pause(self) -> None:
        """Read no more until `resume`: somebody does not keep up with what the server writes."""
        if not self._paused and not self.ended:
            self._paused = True
            self._loop.remove_reader(self._inlet.descriptor)

    def resume(self) -> None:
        """Read on."""
        if self._paused and not self.ended:
            self._paused = False
            self._loop.add_reader(self._inlet.descriptor, self._read)

    async def end(self) -> None:
        """End the server and everything it started."""
        if self._process.returncode is None:
            self._detach()
            await asyncio.to_thread(end_process_group, self._process, patience=_PATIENCE)

    def _read(self) -> None:
        try:
            lines = self._inlet.read()
        except LineTooLongError:
            self._lose("the server sent a message beyond the limit")
            return
        problem = ""
        for line in lines:
            if line and not self.ended:
                try:
                    self.on_line(line)
                except Exception as exc:  # noqa: BLE001 - the lines after it may be for somebody else
                    problem = type(exc).__name__
        if problem:
            self._lose(f"a message of the server could not be dealt with ({problem})")
        elif self._inlet.ended:
            self._lose("the server closed its output")

    def _flush(self) -> None:
        self._outlet.flush()
        if not self._outlet.backlog:
            self._loop.remove_writer(self._outlet.descriptor)
        if self._outlet.backlog <= HIGH_MARK:
            self.room.set()

    def _look(self) -> None:
        """A child of the server's may hold its output open for ever."""
        if exit_code(self._process) is not None and not self._paused:
            self._read()
            self._lose("the server exited")
        elif not self.ended:
            self._watch = self._loop.call_later(_LOOK_SECONDS, self._look)

    def _lose(self, reason: str) -> None:
        if not self.ended:
            self._detach()
            self.on_end(reason)

    def _detach(self) -> None:
        if self.ended:
            return
        self.ended = True
        self._watch.cancel()
        self.room.set()
        with suppress(ValueError):
            self._loop.remove_reader(self._inlet.descriptor)
        self._loop.remove_writer(self._outlet.descriptor)
        self._outlet.close()
