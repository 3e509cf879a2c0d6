"""Servers that send what cannot be trusted or held: a clear error that names them, and bounded memory."""

import subprocess
import sys

import pytest

from avow.errors import PeerProtocolError, ServerTimeoutError
from avow.system.connect import Limits, MalformedAnswerError
from connect_helpers import SERVERS, look

MALFORMED = [
    "duplicate_key",
    "deep_duplicate_key",
    "duplicate_id",
    "invalid_utf8",
    "lone_surrogate",
    "nan",
    "infinite",
    "nested",
    "unclosed",
    "truncated",
    "same_name",
    "no_name",
    "no_object",
    "no_list",
    "no_result",
    "odd_cursor",
]


@pytest.mark.parametrize("attack", MALFORMED)
def test_an_answer_that_two_readers_could_read_differently_is_refused(attack: str) -> None:
    with pytest.raises(MalformedAnswerError, match=r"hostile\.py"):
        look("hostile", attack)


@pytest.mark.parametrize(
    "attack",
    [
        "escaped_envelope",
        "escaped_members",
        "result_and_error",
        "result_and_method",
        "text_id",
        "double_id",
        "two_answers",
        "batch",
    ],
)
def test_an_answer_that_only_some_clients_obey_is_no_noise(attack: str) -> None:
    """A sound answer follows, and we would read only that; the client of somebody else takes the first."""
    with pytest.raises(MalformedAnswerError, match=r"hostile\.py"):
        look("hostile", attack, "and then a sound one")


def test_a_name_that_comes_back_on_a_later_page_is_refused() -> None:
    with pytest.raises(MalformedAnswerError, match="two tools called tool_1"):
        look("pages", "overlapping", "9")


@pytest.mark.parametrize("attack", ["endless_line", "endless_answer"])
def test_a_line_without_an_end_is_refused(attack: str) -> None:
    with pytest.raises(PeerProtocolError, match=r"hostile\.py .* sent a line of more than 32 MiB"):
        look("hostile", attack)


def test_a_line_without_an_end_takes_no_memory() -> None:
    """200 MB on one line: the process that looks stays small."""
    program = (
        "import resource, sys\n"
        "from avow.core.target import StdioTarget\n"
        "from avow.errors import PeerProtocolError\n"
        "from avow.system.connect import ConnectOptions, take_snapshot\n"
        "try:\n"
        "    take_snapshot(StdioTarget(sys.executable, tuple(sys.argv[1:])), ConnectOptions())\n"
        "except PeerProtocolError:\n"
        "    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    arguments = [sys.executable, "-c", program, str(SERVERS / "hostile.py"), "endless_line"]
    done = subprocess.run(arguments, capture_output=True, check=True, timeout=30)

    unit = 1 if sys.platform == "darwin" else 1024
    assert int(done.stdout) * unit < 150 * 1024 * 1024


def test_answers_are_bounded_together() -> None:
    """Each page is small enough; all of them are not."""
    with pytest.raises(PeerProtocolError, match="of answers"):
        look("pages", "endless", "1", limits=Limits(total_bytes=64 * 1024))


def test_a_flood_of_questions_is_left_in_time() -> None:
    """It asks without end and reads nothing: we neither block nor keep what it says."""
    with pytest.raises(ServerTimeoutError):
        look("hostile", "questions", timeout=1.0)
