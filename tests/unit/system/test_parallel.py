"""Jobs at the same time."""

import signal
import threading
from collections.abc import Callable

import pytest

from avow.errors import UsageError
from avow.system.parallel import Started, in_parallel


def job(result: int) -> Callable[[], int]:
    return lambda: result


def test_results_come_in_the_order_of_the_jobs() -> None:
    """More jobs than run at once, and none is lost."""
    jobs = {f"job {number}": job(number) for number in range(50)}

    assert list(in_parallel(jobs).items()) == [(f"job {number}", number) for number in range(50)]


def test_jobs_run_while_others_wait() -> None:
    """Each waits for the other: one after the other they would wait for ever."""
    barrier = threading.Barrier(2)

    with Started({"a": lambda: barrier.wait(10), "b": lambda: barrier.wait(10)}) as started:
        assert sorted(started.results().values()) == [0, 1]


def test_a_job_that_raises_is_heard() -> None:
    """An error in a thread must not pass for a result."""

    def fail() -> int:
        raise UsageError("no")

    with pytest.raises(UsageError, match="no"):
        in_parallel({"good": job(1), "bad": fail})


def test_no_jobs_have_no_results() -> None:
    """A lockfile may be empty."""
    assert in_parallel({}) == {}


def test_an_interruption_that_somebody_swallowed_is_not_forgotten() -> None:
    """Python itself drops one in the middle of an import; the wait that follows would be a long one."""
    held = threading.Event()

    with pytest.raises(KeyboardInterrupt), Started({"slow": lambda: held.wait(10)}) as started:  # noqa: PT012
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            held.set()
        started.results()

    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
