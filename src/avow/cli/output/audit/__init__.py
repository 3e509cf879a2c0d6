"""How an audit is printed: one module per format, each imported when it is asked for."""

import importlib
from typing import Final

from avow.audit.report import Report
from avow.cli.output import write

FORMATS: Final = ("text", "json", "markdown", "sarif")


def print_audit(report: Report, format_name: str) -> None:
    """Print the result of an audit on stdout."""
    module = importlib.import_module(f"avow.cli.output.audit.{format_name}")
    write(module.audit(report))
