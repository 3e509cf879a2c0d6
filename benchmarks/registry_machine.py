"""What a benchmark of the registry runs on, and what processes use of it."""

import os
import platform
import sqlite3
from pathlib import Path


def description() -> str:
    """The machine in one line, with how busy others keep it."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return (
        f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}, load {load}"
    )


def family(root: int) -> list[int]:
    """A process and all that descend from it."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(_fields(entry)[1])
        except OSError:
            continue
        parents.setdefault(parent, []).append(int(entry.parent.name))
    found = [root]
    for process in found:
        found += parents.get(process, [])
    return found


def cpu_seconds(root: int) -> float:
    """How long a process and its descendants have computed; others may have kept the machine busy."""
    ticks = 0
    for process in family(root):
        try:
            fields = _fields(Path(f"/proc/{process}/stat"))
        except OSError:
            continue
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def resident(root: int) -> dict[int, float]:
    """The megabytes that each of these processes holds, what they share divided among them."""
    found = {}
    for process in family(root):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                found[process] = int(line.split()[1]) / 1024
    return found


def _fields(stat: Path) -> list[str]:
    return stat.read_text().rpartition(")")[2].split()
