"""Real programs that lie about what they can do: an error of ours, soon, and the program is gone."""

import sys
import time
from pathlib import Path

import anyio
import pytest
from mcp import StdioServerParameters
from mcp.client.stdio import stdio_client

from avow.client import GuardedClient, SignatureTimeoutError, SignatureUnusableError
from avow.errors import AvowError

pytestmark = pytest.mark.anyio

LIAR = Path(__file__).parents[1] / "guarding" / "liar.py"


@pytest.mark.parametrize(
    ("lie", "error", "words"),
    [
        ("large", SignatureUnusableError, "larger than 4194304 bytes"),
        ("many", SignatureUnusableError, "larger than|more than 10000"),
        ("twice", SignatureUnusableError, "are called 'echo'"),
        ("crash", SignatureUnusableError, "the connection has ended"),
        ("hang", SignatureTimeoutError, "did not answer signature"),
    ],
)
async def test_a_program_that_lies_is_left(lie: str, error: type[AvowError], words: str) -> None:
    program = stdio_client(StdioServerParameters(command=sys.executable, args=[str(LIAR), lie]))
    started = time.monotonic()
    with anyio.fail_after(30), pytest.raises(error, match=words):
        async with GuardedClient(program, timeout=1.0 if lie == "hang" else 15.0, signature_cache=False):
            pytest.fail("nobody may get this far")
    assert time.monotonic() - started < 20
