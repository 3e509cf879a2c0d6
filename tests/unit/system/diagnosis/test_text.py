"""Output as statements: frames, colours, tracebacks and code set apart; hostile text in linear time."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avow.system.diagnosis.diagnosing import diagnose
from avow.system.diagnosis.evidence import Evidence, Outcome
from avow.system.diagnosis.output.text import Level, statements

RICH = """\
╭───────────────────── Traceback (most recent call last) ──────────────────────╮
│ server.py:24 in create                                                       │
│                                                                              │
│   23 │   if not api_key:                                                     │
│ ❱ 24 │   │   raise RuntimeError("An API key is required")                    │
╰──────────────────────────────────────────────────────────────────────────────╯
RuntimeError: An API key is required
"""
GROUP = """\
  + Exception Group Traceback (most recent call last):
  |   File "a.py", line 1, in <module>
  |     run()
  | ExceptionGroup: one failed
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "b.py", line 2, in run
    |     connect()
    | DockerException: no daemon
    +------------------------------------
"""


def test_a_traceback_is_its_exception_and_the_line_that_raised_it() -> None:
    """Everything in between is code, which asks for nothing."""
    text = 'Traceback (most recent call last):\n  File "x.py", line 1\n    os.environ["A"]\nKeyError: \'A\'\n'

    said = statements((text,))

    assert [(one.exception, one.text, one.source) for one in said] == [("KeyError", "'A'", 'os.environ["A"]')]


def test_a_framed_traceback_is_read_like_a_plain_one() -> None:
    """Rich draws frames around the code."""
    (only,) = statements((RICH,))

    assert (only.exception, only.text) == ("RuntimeError", "An API key is required")
    assert only.source == 'raise RuntimeError("An API key is required")'


def test_the_exceptions_of_a_group_are_all_there() -> None:
    """The innermost comes last, and says why."""
    assert [one.exception for one in statements((GROUP,))] == ["ExceptionGroup", "DockerException"]


def test_node_shows_code_that_is_no_statement() -> None:
    """The line above the caret is the program's, not its message."""
    text = 'file:///a/b.js:8\n    throw new Error("A_KEY");\n          ^\n\nError: A_KEY is not set\n    at f (file:///a/b.js:8:1)\n'

    assert [one.text for one in statements((text,))] == ["A_KEY is not set"]


@pytest.mark.parametrize(
    ("text", "expected", "level"),
    [
        ("2026-01-01 10:00:00,1 - my_server - ERROR - A_KEY missing", "A_KEY missing", Level.ERROR),
        ("2026-01-01 | WARNING | a.b:main:9 - hm", "hm", Level.WARNING),
        ('{"level":50,"msg":"no key"}', "no key", Level.ERROR),
        ("\x1b[31mERROR\x1b[39m no key", "no key", Level.ERROR),
        ("plain words", "plain words", Level.NONE),
    ],
)
def test_log_lines_lose_their_heads(text: str, expected: str, level: Level) -> None:
    """Times, levels and loggers are nobody's configuration."""
    (only,) = statements((text,))

    assert (only.text, only.level) == (expected, level)


@given(st.text(alphabet=st.sampled_from("AB_-= \n│╭❱[]{}<>:'\"|/0a.e\x1b"), max_size=400))
@settings(max_examples=100, deadline=None)
def test_any_text_gives_a_diagnosis(text: str) -> None:
    """Nothing that a server prints can break the doctor."""
    found = diagnose(Evidence(Outcome.EXITED, stderr=text, exit_code=1))

    assert found.message
    assert len(found.parameters) <= 64


HOSTILE = [
    "A" * 3_000_000,
    "A_" * 1_000_000,
    "A_KEY " * 300_000 + "is required",
    "no " * 700_000,
    ("Usage: x " + "<>" * 500 + "\n") * 1_000,
    "Commands:\n" + ("  " + "<>" * 900 + "\n") * 1_000,
    ("│" + " " * 1_900 + "x\n") * 1_000,
    '"path": [' + "1" * 900_000,
    ("Error" * 400 + "\n") * 1_000,
    "Error: x\n" + (" " * 1_900 + "\n") * 1_000,
    ("--" + "a," * 900 + "\n") * 1_000,
    "\n" * 2_000_000,
    "[type=" * 300_000,
    "please " + "a" * 1_000_000,
    "https://" * 200_000,
    "Traceback (most recent call last):\n" * 60_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:12]))
def test_hostile_text_is_read_in_time(text: str) -> None:
    """At most a megabyte is looked at, and nothing in it is tried over and over."""
    before = time.process_time()
    diagnose(Evidence(Outcome.EXITED, stderr=text, exit_code=1))

    assert time.process_time() - before < 10
