"""Processes beside the service that verify, rate and compare, so that both cores of a small machine work.

A thread for each of them hands work over and waits for the answer. A process that was killed is replaced and
its work done again by the next one, which is harmless: what is done here changes nothing anywhere.
"""

import gc
import multiprocessing
import signal
import sys
import threading
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

WORKERS: Final = 2

_ATTEMPTS: Final = 2
_FAREWELL_SECONDS: Final = 5.0
# A process that has once needed more bytes than this is replaced: it would keep them.
_MOST_BYTES: Final = 160 * 1024 * 1024
_ALLOCATIONS: Final = 20_000


@dataclass(frozen=True, slots=True)
class _Work:
    call: tuple[Any, ...]
    future: "Future[Any]" = field(default_factory=Future)


class Workers(Executor):
    """A fixed number of processes; what is handed over has to be picklable, and harmless to do twice."""

    def __init__(self, count: int = WORKERS) -> None:
        """Processes start when the first work comes."""
        self._waiting: SimpleQueue[_Work | None] = SimpleQueue()
        self._threads = [
            threading.Thread(target=_employ, args=(self._waiting,), name="registry-work", daemon=True)
            for _ in range(count)
        ]
        self._is_started = self._is_closed = False

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Have a function called in one of the processes.

        The future ends with `BrokenExecutor` where two of them were killed over it.
        """
        if self._is_closed:
            raise RuntimeError("the workers have been sent home")
        if not self._is_started:
            self._is_started = True
            for thread in self._threads:
                thread.start()
        work = _Work((fn, args, kwargs))
        self._waiting.put(work)
        return work.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all processes, after the work that waits unless that is cancelled."""
        if cancel_futures:
            with suppress(Empty):
                while True:
                    if (work := self._waiting.get_nowait()) is not None:
                        work.future.cancel()
        if cancel_futures or not self._is_closed:
            # Also those that were just taken out again.
            for _ in self._threads:
                self._waiting.put(None)
        self._is_closed = True
        for thread in self._threads if wait and self._is_started else ():
            thread.join()


def _employ(waiting: "SimpleQueue[_Work | None]") -> None:
    """Keep one process at work until there is none left."""
    worker = _Worker()
    with suppress(OSError):
        worker.start()
    while (work := waiting.get()) is not None:
        if work.future.set_running_or_notify_cancel():
            _do(work, worker)
    worker.end()


def _do(work: _Work, worker: "_Worker") -> None:
    for _ in range(_ATTEMPTS):
        try:
            is_result, answer = worker.ask(work.call)
        except (EOFError, OSError):
            # It was killed, or the system has no room for another.
            worker.end()
        except Exception as error:  # noqa: BLE001  it cannot be sent, and whoever asked has to know
            work.future.set_exception(error)
            return
        else:
            if is_result:
                work.future.set_result(answer)
            else:
                work.future.set_exception(answer)
            return
    work.future.set_exception(BrokenExecutor("the processes that did this were killed"))


class _Worker:
    """One process at a time, and the line to it."""

    def __init__(self) -> None:
        self._line: Connection[Any, Any] | None = None
        self._process: SpawnProcess | None = None

    def start(self) -> "Connection[Any, Any]":
        """Have a process, if there is none."""
        if self._line is None:
            # Spawned: a fork of a process with threads inherits locks that nobody will ever open.
            context = multiprocessing.get_context("spawn")
            self._line, theirs = context.Pipe()
            # Only the process has that end afterwards: when it is gone, we hear of it.
            with theirs:
                self._process = context.Process(target=_work, args=(theirs,), daemon=True)
                self._process.start()
        return self._line

    def ask(self, call: tuple[Any, ...]) -> tuple[bool, Any]:
        """Have a function called: whether it answered or raised, and what.

        Raises:
            EOFError, OSError: the process is gone, or there can be none.
        """
        line = self.start()
        line.send(call)
        is_result, answer, stays = line.recv()
        if not stays:
            self.end()
        return is_result, answer

    def end(self) -> None:
        """Close the line, at which the process ends."""
        if self._line is not None:
            self._line.close()
            self._line = None
        if self._process is not None and self._process.pid is not None:
            self._process.join(_FAREWELL_SECONDS)
            if self._process.exitcode is None:
                self._process.kill()
                self._process.join()
            self._process.close()
        self._process = None


def _work(line: "Connection[Any, Any]") -> None:
    """What a process does: leave Ctrl-C to the service, load what is needed, work, and end with the line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import avow.registry.preparing  # noqa: F401  the first publication need not wait for it

    gc.freeze()
    gc.set_threshold(_ALLOCATIONS)
    # Also when the service was killed: the line ends then.
    with suppress(EOFError, OSError):
        while True:
            function, args, kwargs = line.recv()
            try:
                is_result, answer = True, function(*args, **kwargs)
            except Exception as error:  # noqa: BLE001  whoever asked gets it
                is_result, answer = False, error
            stays = _peak_bytes() < _MOST_BYTES
            try:
                line.send((is_result, answer, stays))
            except (OSError, EOFError):
                raise
            except Exception as error:  # noqa: BLE001  what cannot be sent is said, and no reason to die
                line.send((False, TypeError(f"{type(answer).__name__} cannot be sent: {error}"), stays))
            if not stays:
                return


def _peak_bytes() -> int:
    """The most memory that this process has held at once, where the system tells."""
    with suppress(OSError):
        # What getrusage tells on Linux begins with the peak of whoever started the process.
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
