"""How results are printed: one module per format, each imported when it is asked for."""

import importlib
import os
import sys
from typing import Any

from avow.cli.output.report import DriftReport, SnapshotReport

__all__ = ["DriftReport", "SnapshotReport", "load", "print_drift", "print_snapshot", "write"]

_MODULES = {
    "text": "avow.cli.output.text",
    "json": "avow.cli.output.json",
    "markdown": "avow.cli.output.markdown",
    "sarif": "avow.cli.output.sarif",
}


def print_drift(report: DriftReport, format_name: str) -> None:
    """Print a drift report on stdout."""
    write(_module(format_name).drift(report))


def print_snapshot(report: SnapshotReport, format_name: str) -> None:
    """Print what a server is and can do on stdout."""
    write(_module(format_name).snapshot(report))


def load(format_name: str) -> None:
    """Import what a format needs, while there is nothing better to do."""
    _module(format_name)


def write(document: str) -> None:
    """Put text on stdout; a reader who has gone away changes nothing about our answer."""
    try:
        sys.stdout.write(document)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes stdout once more on its way out, and would complain there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _module(format_name: str) -> Any:
    return importlib.import_module(_MODULES[format_name])
