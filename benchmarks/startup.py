"""Starting `avow` to say its version or its help, against a Python that does nothing."""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ALLOWED = 2.5
RUNS = 20
AVOW = Path(sys.executable).with_name("avow")

# Compiled modules may be kept, as they are for every user after the first run.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}

COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "avow --version": [str(AVOW), "--version"],
    "avow --help": [str(AVOW), "--help"],
}


def milliseconds(command: list[str]) -> float:
    """One start, from the outside."""
    before = time.perf_counter()
    subprocess.run(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - before) * 1_000


def main() -> int:
    """Print the best and the median of several starts; the best is compared, being the least disturbed."""
    if not AVOW.exists():
        print(f"there is no {AVOW}: install the package first")
        return 1
    times: dict[str, list[float]] = {title: [] for title in COMMANDS}
    for run in range(RUNS + 1):
        for title, command in COMMANDS.items():
            taken = milliseconds(command)
            if run:  # the first one may have to compile
                times[title].append(taken)
    base = times["python -c pass"]
    print(f"{'command':<18}{'best ms':>9}{'ratio':>7}{'median ms':>11}{'ratio':>7}")
    worst = 0.0
    for title, taken_by in times.items():
        best, median = min(taken_by), statistics.median(taken_by)
        worst = max(worst, best / min(base))
        ratio, median_ratio = best / min(base), median / statistics.median(base)
        print(f"{title:<18}{best:>9.1f}{ratio:>7.2f}{median:>11.1f}{median_ratio:>7.2f}")
    print(f"allowed: {ALLOWED}")
    return 0 if worst <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
