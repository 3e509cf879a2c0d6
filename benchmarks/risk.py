"""How often the rating agrees with people: accuracy, confusion matrix and misses on labelled tools.

    python benchmarks/risk.py [LABELS.jsonl …]

Each line of a file of labels is `{"level", "server", "tool"}`. Without arguments: `risk-labels.jsonl`,
which two reviewers agreed on, and `risk-hand-labels.jsonl`, a further sample of the same kind, labelled
by one person before it was first rated. Both were looked at while the rules were written.
"""

import json
import sys
import time
from collections import Counter
from pathlib import Path

from avow.core.capability import Capability, Kind
from avow.core.risk import Level, assess

DATA = Path(__file__).parent.parent / "tests" / "data"


def main(paths: list[Path]) -> None:
    for path in paths or [DATA / "risk-labels.jsonl", DATA / "risk-hand-labels.jsonl"]:
        report(path)


def report(path: Path) -> None:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    started = time.perf_counter()
    rated = [(row, assess(Capability.read(Kind.TOOL, row["tool"]))) for row in rows]
    took = (time.perf_counter() - started) / len(rows)
    matrix = Counter((Level(row["level"]), risk.level) for row, risk in rated)
    right = sum(count for (label, level), count in matrix.items() if label is level)

    print(f"{path.name}: {right} of {len(rows)} = {right / len(rows):.1%}, {took * 1000:.2f} ms each")
    print("  label \\ rated " + "".join(f"{level:>8}" for level in Level))
    for label in Level:
        print(f"  {label:<14}" + "".join(f"{matrix[label, level]:>8}" for level in Level))
    print(f"  high rated low: {matrix[Level.HIGH, Level.LOW]}")
    for row, risk in rated:
        if row["level"] != risk.level:
            print(f"  {row['level']} rated {risk.level}: {row['tool']['name']}: {risk.reasons[0]}")


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
