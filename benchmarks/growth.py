"""Reading and fingerprinting a list of 10,000 tools against one of 1,000: the cost grows linearly.

The tools are small, so that 10,000 of them stay below the 4 MiB that a signature may have. Each
measurement is the first in a process of its own, as it is for a user: a process that does it again finds
memory ready for the short list, but not for the long one.
"""

import subprocess
import sys
import time

from sample_tools import bytes_of_a_server

from avow.core.canonical import parse_json
from avow.core.capability import Capability, Kind, Signature

ALLOWED = 11.0
FEW, MANY = 1_000, 10_000
RUNS = 15


def fingerprint(data: bytes) -> str:
    """From the bytes of a list to the digest of a signature."""
    return Signature.of(Capability.read(Kind.TOOL, tool) for tool in parse_json(data)).digest


def measure_here(data: bytes) -> float:
    """Milliseconds of processor time, once, after a list so short that only the code gets warm."""
    fingerprint(b'[{"name":"a","inputSchema":{"type":"object"}}]')
    before = time.process_time()
    fingerprint(data)
    return (time.process_time() - before) * 1_000


def milliseconds(data: bytes) -> float:
    """The best of several processes."""
    command = [sys.executable, __file__, "here"]
    runs = [subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True) for _ in range(RUNS)]
    return min(float(run.stdout) for run in runs)


def main() -> int:
    """Print both times and their ratio."""
    few, many = (milliseconds(bytes_of_a_server(count, small=True)) for count in (FEW, MANY))
    print(f"{'tools':>8}{'ms':>10}{'ratio':>8}")
    print(f"{FEW:>8,}{few:>10.1f}")
    print(f"{MANY:>8,}{many:>10.1f}{many / few:>8.1f}")
    print(f"allowed: {ALLOWED}")
    return 0 if many / few <= ALLOWED else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["here"]:
        print(measure_here(sys.stdin.buffer.read()))
    else:
        sys.exit(main())
