"""The user's policy, as it is on this day and in this directory."""

import datetime
from pathlib import Path

from avow.core.severity import Severity
from avow.system.checking import Judging
from avow.system.settings import read_settings


def judging_here() -> Judging:
    """The settings that hold for work in the current directory, today."""
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return Judging(read_settings(Path.cwd()).policy, today)


def threshold(fail_on: str | None, judging: Judging) -> Severity:
    """What `--fail-on` says, else what the settings say."""
    return Severity(fail_on) if fail_on else judging.policy.fail_on
