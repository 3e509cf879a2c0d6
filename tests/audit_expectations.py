"""Where a case marks what should be found, and where the audit finds it."""

import re
from pathlib import Path

from avow.audit.scan import scan

MARK = re.compile(r"expect: (AVW\d{3}(?:, AVW\d{3})*)")


def expected(case: Path, rule: str) -> set[tuple[str, int]]:
    """The marks of a rule, by file and line."""
    files = [case] if case.is_file() else sorted(path for path in case.rglob("*") if path.is_file())
    return {
        (path.name if path == case else path.relative_to(case).as_posix(), number)
        for path in files
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if (mark := MARK.search(line)) and rule in mark[1]
    }


def found_by(case: Path, rule: str) -> set[tuple[str, int]]:
    """The findings of a rule, by file and line."""
    return {
        (finding.place.path, finding.place.line)
        for finding in scan(case).findings
        if finding.rule == rule and finding.place
    }
