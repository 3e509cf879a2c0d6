"""Values for a configuration: are they good, is one missing, and how do they reach the server?

Decisions worth knowing. A message names the parameter and the rule, never the value. No value has a NUL or a
line break. A pattern runs on RE2, so in linear time; one that RE2 does not read is `not_checked`, which a
person is told and nobody is refused for. A positional value that begins with `-` is refused, since we cannot
know whether the server understands `--`. A default that gives away more than one would think is no default:
the parameter is missing until a person has said yes.
"""

from avow.core.configuration.checks import (
    MAX_MATCHED,
    MAX_PATTERN,
    MAX_VALUE,
    Look,
    Value,
    not_checked,
    parse,
    problem,
    problems,
    written,
)
from avow.core.configuration.handover import Applied, apply
from avow.core.configuration.needs import Missing, missing, too_many

__all__ = [
    "MAX_MATCHED",
    "MAX_PATTERN",
    "MAX_VALUE",
    "Applied",
    "Look",
    "Missing",
    "Value",
    "apply",
    "missing",
    "not_checked",
    "parse",
    "problem",
    "problems",
    "too_many",
    "written",
]
