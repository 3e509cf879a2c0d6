"""Text for people: coloured and wrapped on a terminal, plain in a pipe."""

from avow.cli.output.console import to_string
from avow.cli.output.drift_lines import report_lines
from avow.cli.output.needs import needs_lines
from avow.cli.output.report import DriftReport, SnapshotReport
from avow.cli.output.snapshot_lines import snapshot_lines


def drift(report: DriftReport) -> str:
    """A drift report."""
    return to_string(report_lines(report))


def snapshot(report: SnapshotReport) -> str:
    """What a server is and can do."""
    return to_string((*snapshot_lines(report.snapshot, report.variance or {}), *needs_lines(report.needs)))
