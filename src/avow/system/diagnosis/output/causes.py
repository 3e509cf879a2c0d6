"""Why a server failed, as its words show it: a library, a service, the network, its package, transport."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from avow.system.diagnosis.output.text import Level, Statement


class Cause(StrEnum):
    """What has to be repaired."""

    CONFIGURATION = "configuration"
    DEPENDENCY = "dependency"
    SERVICE = "service"
    NETWORK = "network"
    TRANSPORT = "transport"
    NOT_FOUND = "not_found"


@dataclass(frozen=True, slots=True)
class Sign:
    """Words that point at a cause; `decisive` ones are what a program ends with."""

    cause: Cause
    words: str
    decisive: bool = False


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


# Asked in this order: a package that is not there is also a module that cannot be found.
_SIGNS: Final[tuple[tuple[Cause, re.Pattern[str]], ...]] = (
    (
        Cause.NOT_FOUND,
        _any(
            r"npm (?:ERR!|error) (?:code )?(?:E404|ETARGET|ENOVERSIONS)",
            r"npm (?:ERR!|error) 404",
            r"404 Not Found - GET https?://",
            r"No matching version found for",
            r"could not determine executable to run",
            r"was not found in the package registry",
            r"No solution found when resolving",
            r"Because there are no versions of",
            r"is not provided by package|No executables are provided by",
            r"No matching distribution found for",
            r"^\S{0,200}python[\d.]{0,6}: (?:No module named|can't open file)",
            r"(?:sh|bash|zsh): (?:\d+: |line \d+: )?\S{1,200}: (?:command )?not found",
            r"there is no program |manifest unknown|pull access denied|Unable to find image",
            r"error: Failed to spawn: ",
            r"answers HTTP 404(?![0-9])",
        ),
    ),
    (
        Cause.SERVICE,
        _any(
            r"Cannot connect to the Docker daemon|docker daemon running|DockerException|docker\.sock"
            r"|spawn docker ENOENT",
            r"ECONNREFUSED|Connection refused|connection refused|actively refused|Connect call failed",
            r"could not connect to server|Can't connect to (?:local )?MySQL|ServerSelectionTimeoutError"
            r"|OperationalError",
            r"Couldn't connect to|Failed to connect to (?:the )?(?:database|server|redis|neo4j|mongo)",
            r"Executable doesn't exist at|Could not find (?:Chrome|Chromium|browser)"
            r"|Failed to launch the browser",
            r"(?:chrome|chromium|firefox|browser)(?: binary| executable)? (?:was )?not found"
            r"|cannot find Chrome binary",
            r"spawn \S{1,200} ENOENT|executable file not found in \$PATH",
            r"Connection aborted\.', FileNotFoundError",
            r"is not (?:currently )?running\. (?:Please )?start|daemon is not running|is the server running",
            r"connect ENOENT |Unable to connect to (?:the )?(?:database|server|redis)",
            r"redis\.exceptions\.ConnectionError|MongoNetworkError|Cannot open display|no DISPLAY",
        ),
    ),
    (
        Cause.NETWORK,
        _any(
            r"ENOTFOUND|EAI_AGAIN|getaddrinfo|Name or service not known|Temporary failure in name resolution",
            r"nodename nor servname|ETIMEDOUT|ENETUNREACH|Network is unreachable|network timeout"
            r"|ConnectTimeout",
            r"CERTIFICATE_VERIFY_FAILED|self.signed certificate|UNABLE_TO_VERIFY_LEAF_SIGNATURE"
            r"|All connection attempts failed",
            r"fetch failed|Max retries exceeded|NameResolutionError|no such host|Failed to fetch"
            r"|error sending request for url",
            r"socket hang up|ECONNRESET|dns error",
        ),
    ),
    (
        Cause.DEPENDENCY,
        _any(
            r"ModuleNotFoundError|No module named|ImportError|cannot import name|DistributionNotFound"
            r"|PackageNotFoundError",
            r"ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND|Cannot find (?:module|package) ",
            r"ERR_REQUIRE_ESM|ERR_PACKAGE_PATH_NOT_EXPORTED|ERR_UNSUPPORTED_DIR_IMPORT"
            r"|ERR_UNKNOWN_FILE_EXTENSION|ERR_DLOPEN_FAILED",
            r"does not provide an export named|is not exported (?:from|by)|NODE_MODULE_VERSION"
            r"|Could not locate the bindings file",
            r"cannot open shared object file|GLIBC(?:XX)?_[\d.]+' not found|DLL load failed"
            r"|Library not loaded",
            r"requires a different Python|requires Python [<>=~]|requires [Nn]ode|Unsupported engine"
            r"|Unsupported Node|[Nn]ode(?:\.js)? version",
            r"VersionConflict|PydanticImportError|PydanticUserError"
            r"|has been moved to the `pydantic-settings`|was removed in (?:version )?\d",
            r"Python (?:version )?[23]\.\d+ (?:or (?:higher|later|newer|above) )?(?:is )?required",
            r"got an unexpected keyword argument|unsupported operand type\(s\) for \|",
            r"SyntaxError: (?:invalid syntax|f-string|unmatched|invalid|Cannot use import|Named export"
            r"|Unexpected (?:token"
            r"|identifier|reserved)(?![^\n]{0,80}JSON))",
        ),
    ),
)
_ATTRIBUTE: Final = re.compile(
    r"^'(\w{1,100})' object has no attribute"
    r"|^(?:partially initialized )?module '[\w.]{1,200}' has no attribute"
    r"|^type object '\w{1,100}' has no attribute"
)
_NOT_A: Final = re.compile(
    r"is not a (?:function|constructor)|Class extends value undefined"
    r"|Cannot read propert\w+ of undefined \(reading 'prototype'\)"
)
_NOTHING: Final = re.compile(
    r"'NoneType' object|not (?:'|an? )?None(?:Type)?|Cannot read propert\w+ of (?:undefined|null)"
    r"|(?:must|should) be (?:a |of type )?str"
    r"|argument must be of type string. Received undefined|Invalid URL"
    r"|unsupported operand type\(s\)[^\n]{0,40}NoneType"
)
_BUILT_IN: Final = frozenset({"NoneType", "str", "dict", "list", "tuple", "int", "bool"})
_TRANSPORT: Final = re.compile(
    r"Uvicorn running on|(?i:listening (?:on|at)|(?:server|sse|mcp)[\w ]{0,40} (?:running|started|live"
    r"|available|listening) (?:on|at)[\w ]{0,20}) "
    r"(?:https?://|port|\S{0,60}:\d{2,5})|EADDRINUSE|[Aa]ddress already in use"
)
_REJECTED: Final = re.compile(
    r"(?<![0-9])401(?![0-9])|(?i:unauthori[sz]ed|invalid (?:api[ _-]?key|token|credentials)"
    r"|authentication failed|bad credentials"
    r"|login failed|access denied|invalid_grant|invalid username or password)"
)


def signs(statement: Statement) -> tuple[Sign, ...]:
    """The causes that a statement points at, the likeliest first."""
    words = f"{statement.exception}: {statement.text}" if statement.exception else statement.text
    if statement.level in (Level.WARNING, Level.INFO):
        return ()
    decisive = bool(statement.exception and statement.source)
    found = [Sign(cause, words, decisive) for cause, pattern in _SIGNS if pattern.search(words)]
    if not found and _is_foreign(statement):
        found.append(Sign(Cause.DEPENDENCY, words, decisive))
    return tuple(found)


def serves_http(statement: Statement) -> bool:
    """Whether the server says that it waits for connections."""
    return _TRANSPORT.search(statement.text) is not None


def was_rejected(statement: Statement) -> bool:
    """Whether a service turned down the credentials that the server has."""
    return _REJECTED.search(statement.text) is not None


def lacks_value(statement: Statement) -> bool:
    """Whether the program stumbled over a value that is not there, as over a variable that nobody set."""
    return bool(statement.exception) and _NOTHING.search(statement.text) is not None


def _is_foreign(statement: Statement) -> bool:
    """Whether somebody else's object is not what the code expects: a library with another interface.

    What is missing on `None` or on a text is the server's own mistake, mostly a value that nobody set.
    """
    if statement.exception in ("SyntaxError", "IndentationError") and statement.source:
        # Code that was released can be read by the version of Python that it is for.
        return True
    if statement.exception.endswith("AttributeError"):
        found = _ATTRIBUTE.match(statement.text)
        return found is not None and found[1] not in _BUILT_IN
    return statement.exception.endswith("TypeError") and _NOT_A.search(statement.text) is not None
