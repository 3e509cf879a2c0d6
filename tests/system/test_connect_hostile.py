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
    with pytest.raises(PeerProtocolError, match=r"hostile\.py .* sent a line of more than 16 MiB"):
        look("hostile", attack)


LOOK = """
import sys
from pathlib import Path
from avow.core.target import StdioTarget
from avow.errors import PeerProtocolError
from avow.system.connect import ConnectOptions, observe
try:
    observe(StdioTarget(sys.executable, tuple(sys.argv[1:])), ConnectOptions(), thorough=False)
except PeerProtocolError as error:
    print(error.message, file=sys.stderr)
print(*(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the memory of a program by itself")
@pytest.mark.parametrize(
    ("attack", "megabytes", "words"),
    [
        ("endless_line", 150, "a line of more than 16 MiB"),
        ("many_values", 150, "a message of more values"),
        ("quite_many_values", 250, ""),
    ],
)
def test_a_flood_takes_no_more_memory_than_we_have(attack: str, megabytes: int, words: str) -> None:
    """200 MB on one line, or small values without end: the process that looks stays within bounds."""
    arguments = [sys.executable, "-c", LOOK, str(SERVERS / "hostile.py"), attack]
    done = subprocess.run(arguments, capture_output=True, check=True, timeout=60, text=True)

    assert words in done.stderr
    assert int(done.stdout) < megabytes * 1024


def test_answers_are_bounded_together() -> None:
    """Each page is small enough; all of them are not."""
    with pytest.raises(PeerProtocolError, match="values of answers"):
        look("pages", "endless", "1", limits=Limits(total_bytes=64 * 1024))


def test_a_flood_of_questions_is_left_in_time() -> None:
    """It asks without end and reads nothing: we neither block nor keep what it says."""
    with pytest.raises(ServerTimeoutError):
        look("hostile", "questions", timeout=1.0)
