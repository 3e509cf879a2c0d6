"""Work in other processes: the same answers and errors, whoever is killed, however much memory it took."""

import ast
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from pathlib import Path
from threading import Timer

import httpx
import pytest

from avow.errors import UnavailableError, UntrustedKeyError
from avow.registry.publishing import publish
from avow.registry.store.interface import Store
from avow.registry.workers import Workers
from registry_running import envelope as small_envelope
from registry_running import program
from registry_samples import NOW, OTHER_KEY, READ, WRITE, envelope, snapshot
from registry_stores import *  # noqa: F403  fixtures

PATIENCE = 30


@pytest.fixture
def workers() -> Iterator[Workers]:
    made = Workers(1)
    yield made
    made.shutdown()


def is_there(process: int) -> bool:
    """Whether a process is running; one that only waits to be buried is not."""
    stat = Path(f"/proc/{process}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def until_gone(*processes: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while any(map(is_there, processes)):
        assert time.monotonic() < deadline, processes
        time.sleep(0.02)


@pytest.mark.anyio
@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
async def test_publications_are_prepared_in_another_process(store: Store, workers: Workers) -> None:
    """A process that was killed while nobody looked is replaced, and nobody notices."""
    assert (await publish(store, envelope(snapshot(READ), "1"), NOW, workers)).is_new
    first = workers.submit(os.getpid).result(PATIENCE)
    assert first != os.getpid()
    with pytest.raises(UntrustedKeyError, match="not trusted"):
        await publish(store, envelope(snapshot(READ), "2", key=OTHER_KEY), NOW, workers)

    os.kill(first, signal.SIGKILL)
    until_gone(first)

    assert (await publish(store, envelope(snapshot(READ, WRITE), "2"), NOW, workers)).is_new


@pytest.mark.anyio
@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
async def test_what_kills_every_process_is_unavailable(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    class Deadly(Workers):
        def submit(self, fn: object, /, *args: object, **kwargs: object) -> object:  # type: ignore[override]
            return super().submit(signal.raise_signal, signal.SIGKILL)

    workers = Deadly(1)
    try:
        with pytest.raises(UnavailableError, match="was killed"):
            await publish(store, envelope(snapshot(READ), "1"), NOW, workers)
    finally:
        workers.shutdown()


def test_work_of_a_killed_process_is_done_by_the_next(workers: Workers) -> None:
    first = workers.submit(os.getpid).result(PATIENCE)
    work = workers.submit(time.sleep, 1.5)
    Timer(0.1, os.kill, (first, signal.SIGKILL)).start()

    assert work.result(PATIENCE) is None
    assert workers.submit(os.getpid).result(PATIENCE) != first


def test_work_that_kills_is_given_up_and_the_next_is_done(workers: Workers) -> None:
    with pytest.raises(BrokenExecutor, match="were killed"):
        workers.submit(signal.raise_signal, signal.SIGKILL).result(PATIENCE)

    assert workers.submit(len, "four").result(PATIENCE) == 4


def test_errors_and_what_cannot_be_sent_come_back(workers: Workers) -> None:
    with pytest.raises(ZeroDivisionError):
        workers.submit(divmod, 1, 0).result(PATIENCE)
    with pytest.raises((AttributeError, TypeError)):
        workers.submit(lambda: None).result(PATIENCE)

    with pytest.raises(TypeError, match="cannot be sent"):
        workers.submit(eval, "(number for number in ())").result(PATIENCE)

    assert workers.submit(int, "ff", base=16).result(PATIENCE) == 255


def test_a_process_that_needed_much_memory_is_replaced(workers: Workers) -> None:
    """It would keep what it once had, for as long as it lives."""
    first = workers.submit(os.getpid).result(PATIENCE)
    assert workers.submit(os.getpid).result(PATIENCE) == first

    assert workers.submit(eval, "len(b'x' * (200 << 20))").result(PATIENCE) == 200 << 20

    assert workers.submit(os.getpid).result(PATIENCE) != first
    until_gone(first)


def test_all_processes_end_after_the_work_that_waits() -> None:
    workers = Workers(2)
    slow = [workers.submit(time.sleep, 0.1) for _ in range(4)]
    process = workers.submit(os.getpid)
    workers.shutdown()

    assert all(each.done() for each in slow)
    assert not is_there(process.result())
    with pytest.raises(RuntimeError, match="sent home"):
        workers.submit(os.getpid)


def test_work_that_waits_can_be_cancelled() -> None:
    workers = Workers(1)
    begun = workers.submit(time.sleep, 2)
    deadline = time.monotonic() + PATIENCE
    while not begun.running():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    waiting = workers.submit(os.getpid)
    workers.shutdown(cancel_futures=True)

    assert begun.done()
    assert waiting.cancelled()
    workers.shutdown(cancel_futures=True)


def children(process: int) -> list[int]:
    lists = Path(f"/proc/{process}/task").glob("*/children")
    return [int(each) for found in lists for each in found.read_text().split()]


def test_the_service_goes_on_without_a_worker_and_no_worker_without_the_service(tmp_path: Path) -> None:
    """Every worker is killed between two publications; then the service is, and nothing stays behind."""
    with program(tmp_path) as served, httpx.Client(base_url=served.url, timeout=PATIENCE) as client:
        client.headers["authorization"] = f"Bearer {served.token}"
        client.headers["content-type"] = "application/json"

        def post(version: str) -> int:
            return client.post("/api/v1/publish", content=small_envelope(version)).status_code

        assert post("1") == 201
        started = children(served.process.pid)
        for process in started:
            os.kill(process, signal.SIGKILL)
        until_gone(*started)
        assert [post("2"), post("3"), post("3")] == [201, 201, 200]
        followers = children(served.process.pid)
        assert followers
        served.process.kill()
        served.process.wait(PATIENCE)
        until_gone(*followers)


def test_a_process_is_not_blamed_for_the_memory_of_who_started_it(tmp_path: Path) -> None:
    """A service that once needed much would start a process for each piece of work, for ever."""
    program = tmp_path / "large.py"
    program.write_text(
        "import os\n"
        "from avow.registry.workers import Workers\n"
        "if __name__ == '__main__':\n"
        "    taken = bytearray(os.urandom(1)) * 220_000_000\n"
        "    workers = Workers(1)\n"
        "    print({workers.submit(os.getpid).result(60) for _ in range(3)})\n"
        "    workers.shutdown()\n"
    )

    said = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=90)

    assert len(ast.literal_eval(said.stdout)) == 1, said.stderr
