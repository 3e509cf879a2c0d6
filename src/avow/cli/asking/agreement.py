"""A yes to settings of a project that have changed: may what is stored be used beside them?"""

import sys

from avow.cli.asking.summaries import settings_lines
from avow.cli.asking.terminal import ask_yes, tell
from avow.cli.output.console import to_string
from avow.configure.subject import Subject


def agrees(subject: Subject, *, asks: bool, yes: bool, quiet: bool) -> bool:
    """Whether somebody agrees: who is there is asked, and who says yes beforehand is told what to."""
    lines = settings_lines(subject)
    if yes:
        if not quiet:
            sys.stderr.write(to_string(list(lines)))
        return True
    if not asks:
        return False
    tell(lines)
    return ask_yes("Nobody has agreed to that yet. May it get what is stored beside these?", default=False)
