"""Processes beside the service that verify, rate and compare, so that both cores of a small machine work."""

import multiprocessing
import os
import signal
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Final

WORKERS: Final = 2


class Workers(Executor):
    """A pool of processes that is made anew when one of them was killed."""

    def __init__(self, count: int = WORKERS) -> None:
        """Processes start when the first work comes."""
        self._count = count
        self._pool = self._made()

    def _made(self) -> ProcessPoolExecutor:
        # Spawned: a fork of a process with threads inherits locks that nobody will ever open.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self._count, mp_context=context, initializer=_begin)

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Have a function called in one of the processes."""
        try:
            return self._pool.submit(fn, *args, **kwargs)
        except BrokenProcessPool:
            self._pool.shutdown(wait=False)
            self._pool = self._made()
            return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all processes."""
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


def _begin() -> None:
    """Leave Ctrl-C to the service, end when it ends, and load what the first publication will need."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()
    import avow.registry.preparing  # noqa: F401


def _follow_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        # Also when it was killed: nobody would ever tell us to stop.
        parent.join()
        os._exit(0)
