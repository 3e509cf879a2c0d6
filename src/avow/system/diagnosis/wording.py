"""One sentence about the state of a server, and one about what to do."""

import shlex
from collections.abc import Sequence
from typing import Final

from avow.core.configuration.model import Parameter, Where
from avow.core.printable import printable
from avow.system.diagnosis.evidence import Evidence, Outcome
from avow.system.diagnosis.model import Status
from avow.system.diagnosis.output import Cause, Said

_LONGEST: Final = 200
_MOST_NAMES: Final = 6

STATUS: Final = {
    Cause.CONFIGURATION: Status.NEEDS_CONFIGURATION,
    Cause.DEPENDENCY: Status.BROKEN_DEPENDENCY,
    Cause.SERVICE: Status.MISSING_SERVICE,
    Cause.NETWORK: Status.MISSING_SERVICE,
    Cause.TRANSPORT: Status.WRONG_TRANSPORT,
    Cause.NOT_FOUND: Status.NOT_FOUND,
}


def sentence(cause: Cause | None, evidence: Evidence, said: Said, wanted: Sequence[Parameter]) -> str:
    """What is wrong, for a person."""
    quoted = _quoted(_decisive(cause, said))
    match cause:
        case Cause.CONFIGURATION if wanted:
            return f"it needs {listed(wanted)}"
        case Cause.CONFIGURATION:
            return f"it wants to be told something that it does not name{quoted}"
        case Cause.DEPENDENCY:
            return f"a library that it is built on is missing or has another version{quoted}"
        case Cause.SERVICE:
            return f"a program or service that it needs is not there{quoted}"
        case Cause.NETWORK:
            return f"it could not reach an address in the network{quoted}"
        case Cause.TRANSPORT:
            where = f" at {printable(evidence.listening[0], 80, fold=True)}" if evidence.listening else ""
            return f"it waits for HTTP connections{where}, and does not speak on its standard streams"
        case Cause.NOT_FOUND:
            return f"what is to be started is not there{quoted}"
        case None:
            return _unexplained(evidence, said)


def next_step(status: Status, name: str, said: Said, command: Sequence[str] = ()) -> str:
    """What to do about it; a server without a name is configured by its command."""
    match status:
        case Status.OK:
            return ""
        case Status.NEEDS_CONFIGURATION:
            if not name and not command:
                return "set what is missing with -e NAME=VALUE"
            return f"avow configure {shlex.quote(name) if name else f'-- {shlex.join(command)}'}"
        case Status.BROKEN_DEPENDENCY if _is_sdk(said):
            return "install it with an older SDK, as `uvx --with 'mcp<2' PACKAGE`, or tell its author"
        case Status.BROKEN_DEPENDENCY:
            return "install it again, another version of it perhaps, and tell its author"
        case Status.MISSING_SERVICE:
            return "start what it needs, or tell it where to find that, and look again"
        case Status.WRONG_TRANSPORT:
            return "tell it to use stdio, often with `--transport stdio`, or connect to its address instead"
        case Status.NOT_FOUND:
            return "correct the command, or install what it names"
        case Status.DRIFTED:
            return f"avow check {shlex.quote(name)}" if name else "avow check"
        case Status.ERROR:
            return "start it by hand to see what it does"


def listed(parameters: Sequence[Parameter]) -> str:
    """The names, joined as in a sentence; a file and a command are introduced as such."""
    names = [_named(parameter) for parameter in parameters[:_MOST_NAMES]]
    if len(parameters) > _MOST_NAMES:
        names.append(f"{len(parameters) - _MOST_NAMES} more")
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _named(parameter: Parameter) -> str:
    name = printable(parameter.binding.name, 80, fold=True)
    match parameter.binding.where:
        case Where.ARGUMENT if parameter.fixed is not None:
            return f"the argument `{name}`"
        case Where.ARGUMENT if not name.startswith("-"):
            return f"<{name.strip('<>')}>"
        case Where.FILE:
            return f"the file {name}"
        case Where.OTHER:
            return f"“{name}”"
        case _:
            return name


def _decisive(cause: Cause | None, said: Said) -> str:
    # A program ends with what matters; a package manager begins with it.
    for sign in said.signs if cause is Cause.NOT_FOUND else reversed(said.signs):
        if sign.cause is cause:
            return sign.words
    for demand in said.demands:
        if cause is Cause.CONFIGURATION and demand.strength:
            return demand.sentence
    return ""


def _quoted(words: str) -> str:
    first = next((line.strip() for line in words.splitlines() if line.strip()), "")
    return f": {printable(first, _LONGEST, fold=True)}" if first else ""


def _unexplained(evidence: Evidence, said: Said) -> str:
    last = _quoted(said.statements[-1].text if said.statements else "")
    match evidence.outcome:
        case Outcome.OK:
            return "it works"
        case Outcome.NOT_TRIED:
            return "nothing that it is known to need is missing; it was not started"
        case Outcome.SILENT:
            return f"it did not answer in time{last}"
        case Outcome.REFUSED:
            return f"it refused the handshake{last}"
        case Outcome.NO_LISTS:
            return f"it answered the handshake and not what it can do{last}"
        case _:
            code = f" with code {evidence.exit_code}" if evidence.exit_code is not None else ""
            return f"it ended{code} before it answered{last or ' and said nothing'}"


def _is_sdk(said: Said) -> bool:
    """Whether what broke is the MCP SDK, whose second major version has another interface."""
    return any(
        "mcp.server" in sign.words
        or "mcp.shared" in sign.words
        or "'Server' object" in sign.words
        or "mcp.types" in sign.words
        for sign in said.signs
        if sign.cause is Cause.DEPENDENCY
    )
