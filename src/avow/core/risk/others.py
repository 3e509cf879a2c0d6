"""Rates what is read rather than called: prompts, resources and resource templates."""

import re
from collections.abc import Iterator
from typing import Final

from avow.core.capability import Capability, Kind
from avow.core.risk import words
from avow.core.risk.model import Finding, Level, quoted
from avow.core.risk.sentences import tokens

_VARIABLE: Final = re.compile(r"\{([^{}]{1,200})\}")
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,50}):")
# Schemes that reach the machine or the network; any other is a name that the server made up.
_FILES: Final = frozenset({"file", "git", "sqlite", "postgres", "postgresql", "mysql", "mongodb", "redis"})
_NETWORK: Final = frozenset({"http", "https", "ftp", "ws", "wss"})
# RFC 6570 operators after which a variable may contain slashes.
_FREE_OPERATORS: Final = ("+", "#", "/")
_FREE_VARIABLES: Final = words.PATH_WORDS | words.ADDRESS_WORDS | {"query", "sql"}
# Far more variables than any template has.
_VARIABLES_READ: Final = 100


def other_findings(capability: Capability) -> Iterator[Finding]:
    """What the definition of a prompt, a resource or a template shows."""
    if capability.kind is Kind.PROMPT:
        yield Finding(Level.LOW, "a prompt only makes text from its arguments")
        return
    yield from _address(capability.name)
    if capability.kind is Kind.TEMPLATE:
        yield from _variables(capability.name)
    about = frozenset(tokens(capability.name))
    if found := min(about & words.PRIVATE, default=""):
        yield Finding(Level.MEDIUM, f"address says {quoted(found)}: may be private")
    yield Finding(Level.LOW, "reads what the server offers under one address")


def _address(address: str) -> Iterator[Finding]:
    scheme = _SCHEME.match(address)
    if scheme and scheme[1].lower() in _FILES:
        yield Finding(Level.MEDIUM, f"address {quoted(address)} reads files or a database")
    elif scheme and scheme[1].lower() in _NETWORK:
        yield Finding(Level.MEDIUM, f"address {quoted(address)} is on the network")


def _variables(template: str) -> Iterator[Finding]:
    for found in list(_VARIABLE.finditer(template))[:_VARIABLES_READ]:
        variable = found[1]
        if variable.startswith(_FREE_OPERATORS) or _FREE_VARIABLES.intersection(tokens(variable)):
            yield Finding(Level.MEDIUM, f"variable {quoted(variable)} chooses what is read")
        elif found.start() == 0:
            yield Finding(Level.MEDIUM, f"variable {quoted(variable)} chooses the whole address")
