"""What the tests of live audits share: short ways to audit the sample server, and to read the report."""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from avow.audit.live.probing import Probing, probe
from avow.audit.model import Finding, Level, Verdict
from avow.audit.report import Report
from avow.core.target import HttpTarget, StdioTarget, Target
from avow.system.targets import Reachable
from negotiating_endpoint import negotiating_over_http

SERVERS = Path(__file__).parent / "servers"


def audit(
    target: Target,
    *calls: str,
    timeout: float = 20.0,
    environment: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Report:
    """Audit a server that does what it does unasked without delay."""
    reachable = Reachable(target, launch=target, environment=environment or {}, headers=headers or {})
    return probe(reachable, Probing(timeout, frozenset(calls), moment=0.05))


def script(name: str, *arguments: str) -> StdioTarget:
    """A sample server over stdio."""
    return StdioTarget(sys.executable, (str(SERVERS / f"{name}.py"), *arguments))


def over_stdio(*flaws: str, calls: Iterable[str] = ()) -> Report:
    """What an audit says of the sample server with these flaws, as a program."""
    return audit(script("negotiating", *flaws), *calls)


def over_http(*flaws: str, calls: Iterable[str] = ()) -> Report:
    """The same as an endpoint."""
    with negotiating_over_http(*flaws) as url:
        return audit(HttpTarget(url), *calls)


def found(report: Report) -> set[str]:
    """The rules that were broken, remarks included."""
    return {finding.rule for finding in report.findings}


def only(report: Report) -> Finding:
    """The one finding that there is."""
    (finding,) = report.findings
    return finding


def failures(report: Report) -> set[str]:
    """The patterns that failed."""
    return {str(pattern) for pattern, verdict in report.scorecard.items() if verdict is Verdict.FAIL}


def remarks(report: Report) -> set[str]:
    """The rules that were broken without harm."""
    return {finding.rule for finding in report.findings if finding.severity is Level.LOW}
