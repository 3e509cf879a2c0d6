"""Several jobs at once, each waiting for a server; Ctrl-C ends the servers and waits for nothing else."""

import signal
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Generic, TypeVar

from avow.system.processes import kill_every_process_group

# Each server is a process or two of its own; more at once would only make all of them slow.
_AT_ONCE: Final = 8
_FAREWELL: Final = 2.0

Value = TypeVar("Value")


class Started(Generic[Value]):
    """Jobs that are running in threads of their own; leaving the `with` by an error ends their servers."""

    def __init__(self, jobs: Mapping[str, Callable[[], Value]]) -> None:
        """Start them, a bounded number at a time."""
        self._jobs = jobs
        self._waiting = list(jobs)[::-1]
        self._results: dict[str, Value] = {}
        self._errors: list[BaseException] = []
        self._is_interrupted = False
        # Python drops a Ctrl-C that hits certain moments of an import, and whoever waits is importing.
        self._listens = (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        )
        if self._listens:
            signal.signal(signal.SIGINT, self._interrupt)
        # Daemons, since one that waits for a network must not keep the program from ending.
        self._threads = [
            threading.Thread(target=self._work, daemon=True) for _ in range(min(_AT_ONCE, len(jobs)))
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> "Started[Value]":
        """Nothing more to do."""
        return self

    def __exit__(self, error_type: type[BaseException] | None, *_: object) -> None:
        """End what runs, unless all went well."""
        if self._listens:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if error_type is not None:
            self._waiting.clear()
            _end_servers(self._threads)

    def results(self) -> dict[str, Value]:
        """Wait for all of them; the results come in the order in which the jobs were given."""
        if self._is_interrupted:
            raise KeyboardInterrupt
        for thread in self._threads:
            thread.join()
        for error in self._errors:
            raise error
        return {name: self._results[name] for name in self._jobs}

    def _interrupt(self, *_: object) -> None:
        self._is_interrupted = True
        raise KeyboardInterrupt

    def _work(self) -> None:
        while self._waiting:
            try:
                name = self._waiting.pop()
            except IndexError:
                return
            try:
                self._results[name] = self._jobs[name]()
            except BaseException as error:  # noqa: BLE001  told to whoever waits for the results
                self._errors.append(error)


def in_parallel(jobs: Mapping[str, Callable[[], Value]]) -> dict[str, Value]:
    """Run the jobs and return their results in the order given."""
    with Started(jobs) as started:
        return started.results()


def _end_servers(threads: Iterable[threading.Thread]) -> None:
    """Kill what runs until nobody starts anything any more: a job may try a server twice."""
    end = time.monotonic() + _FAREWELL
    while True:
        kill_every_process_group()
        if time.monotonic() > end or not any(thread.is_alive() for thread in threads):
            return
        time.sleep(0.02)
