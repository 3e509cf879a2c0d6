"""`avow audit` over trees of 25,000 and 100,000 lines in which every file is a server, in both languages.

Each tree is read by a process of its own, as it is for a user. Time and memory are those of that process; the
time has to grow with the tree and not faster.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from audit_trees import LANGUAGES, write_tree

FEW, MANY = 25_000, 100_000
SECONDS, MEGABYTES, GROWTH = 10.0, 500.0, 5.0


def measure_here(root: Path) -> str:
    """Seconds on the clock, seconds of the processor, and megabytes at most, of one audit in this process."""
    from avow.audit.scan import scan
    from avow.cli.output.audit.text import audit

    began = time.perf_counter()
    report = scan(root)
    audit(report)
    elapsed = time.perf_counter() - began
    usage = resource.getrusage(resource.RUSAGE_SELF)
    assert report.findings, "every file holds a server"
    return f"{elapsed} {usage.ru_utime + usage.ru_stime} {usage.ru_maxrss / 1024}"


def measured(root: Path) -> tuple[float, float, float]:
    command = [sys.executable, __file__, "here", str(root)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    elapsed, processor, memory = map(float, done.stdout.split())
    return elapsed, processor, memory


def main() -> int:
    """Print a table, and say whether all bars are met."""
    missed = False
    print(f"{'tree':<14}{'lines':>10}{'clock s':>10}{'processor s':>13}{'MB':>8}{'growth':>8}")
    with tempfile.TemporaryDirectory() as directory:
        for language in LANGUAGES:
            before = 0.0
            for wanted in (FEW, MANY):
                root = Path(directory, f"{language}-{wanted}")
                lines = write_tree(root, language, wanted)
                elapsed, processor, memory = measured(root)
                growth = processor / before if before else 0.0
                print(
                    f"{language:<14}{lines:>10,}{elapsed:>10.1f}{processor:>13.1f}{memory:>8.0f}"
                    f"{growth:>8.1f}"
                )
                missed |= elapsed > SECONDS or memory > MEGABYTES or growth > GROWTH
                before = processor
    print(f"allowed: {SECONDS:.0f} s, {MEGABYTES:.0f} MB, {GROWTH:.0f} times the time for 4 times the lines")
    return 1 if missed else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["here"]:
        print(measure_here(Path(sys.argv[2])))
    else:
        sys.exit(main())
