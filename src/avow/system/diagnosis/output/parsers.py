"""What argument parsers and validators say when something is missing: each in its fixed words.

argparse, click, commander, yargs, clap, cobra; pydantic, zod, envalid, python-decouple; a `KeyError`.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from avow.system.diagnosis.output.demands import Demand, Strength
from avow.system.diagnosis.output.names import Form, Name, is_variable
from avow.system.diagnosis.output.text import Statement
from avow.system.diagnosis.output.usage import serving_command

_MOST: Final = 64
_ARGPARSE: Final = re.compile(r"the following arguments are required: ([^\n]{1,1000})")
_ONE_OF: Final = re.compile(r"one of the arguments ([^\n]{1,1000}?) is required")
_CLICK: Final = re.compile(
    r"Missing (option|argument|parameter)s?:? ['\"]?([^'\"\n]{1,200})['\"]?((?: / '[^']{1,80}')*)"
    r"(?:[^\n]{0,40}env var: '?([A-Za-z0-9_]{1,80}))?"
)
_COMMANDER: Final = re.compile(
    r"required option '([^']{1,200})' not specified|missing required argument '([^']{1,100})'"
)
_YARGS: Final = re.compile(r"Missing required arguments?: ([^\n]{1,500})")
_CLAP: Final = re.compile(
    r"the following required arguments were not provided:((?:\n[ \t]{1,20}[<-][^\n]{1,200})+)"
)
_COBRA: Final = re.compile(r"required flag\(s\) ((?:\"[\w-]{1,80}\"(?:, )?)+) not set")
_ENVCONFIG: Final = re.compile(r"required key ([A-Z][A-Z0-9_]{1,80}) missing value")
_VALIDATION: Final = re.compile(r"validation errors? for (\w{1,100})")
# The SDK's own types: what it says about these is about our messages.
_PROTOCOL: Final = re.compile(r"Request|Notification|JSONRPC|Params|Result|Arguments")
_PYDANTIC: Final = re.compile(r"(?m)^[ \t]{0,8}([A-Za-z_][\w.]{0,100})[ \t]{0,8}\n[ \t]{1,8}Field required")
_ZOD_PATH: Final = re.compile(r'"path"\s{0,8}:\s{0,8}\[([^\]\[]{1,400})\]')
_ZOD_PRETTY: Final = re.compile(r"(?:→|->) at ([A-Za-z_][\w.]{0,100})")
_ZOD_FIELD: Final = re.compile(
    r"(?m)^[ \t]{0,40}['\"]?([A-Z][A-Z0-9_]{1,80})['\"]?\s{0,4}:\s{0,4}(?:\[?\s{0,8}['\"]?Required|undefined"
    r"|\[ ?'Invalid input)"
)
_ZOD_FORMAT: Final = re.compile(
    r"(?m)^[ \t]{0,8}['\"]?([A-Za-z_]\w{1,80})['\"]?: \{\s{0,40}_?errors: \[\s{0,40}['\"]"
)
_EXPECTED: Final = re.compile(
    r"(?:[Uu]nknown|[Ii]nvalid|[Mm]issing|[Nn]o) (?:sub)?command[^\n]{0,80}(?:[Ee]xpected|[Aa]vailable"
    r"|[Vv]alid)"
    r"[^\n'\"`]{0,40}((?:['\"`][\w-]{1,40}['\"`](?:, or |, | or | and )?){1,20})"
)
_DECOUPLE: Final = re.compile(r"([A-Z][A-Z0-9_]{1,80}) not found\. Declare it as envvar")
_KEY: Final = re.compile(r"^['\"]([A-Za-z_]\w{1,80})['\"]$")
_FLAGS: Final = re.compile(r"--[A-Za-z][\w-]{0,80}")
_ENVIRON: Final = re.compile(r"environ|getenv|env\[")


def parser_demands(statement: Statement) -> tuple[Demand, ...]:
    """What the fixed words in a statement ask for; all of it is required."""
    found: list[Demand] = []
    for read in _READERS:
        for ways in read(statement):
            found.append(Demand(statement.text.strip()[:400], Strength.REQUIRED, ways))
            if len(found) >= _MOST:
                return tuple(found)
    return tuple(found)


def _argparse(statement: Statement) -> Iterator[tuple[tuple[Name, ...], ...]]:
    for found in _ARGPARSE.finditer(statement.text):
        for word in found[1].split(", "):
            yield ((_argument(word.strip()),),)
    for found in _ONE_OF.finditer(statement.text):
        yield tuple((_argument(word),) for word in found[1].split() if word.startswith("-"))


def _click(statement: Statement) -> Iterator[tuple[tuple[Name, ...], ...]]:
    for found in _CLICK.finditer(statement.text):
        kind, text, variable = found[1], f"{found[2]}{found[3]}", found[4]
        flags = _FLAGS.findall(text)
        if kind == "option" and flags:
            name = Name(max(flags, key=len), Form.FLAG)
        elif kind == "argument":
            name = Name(found[2].strip(" ."), Form.POSITIONAL)
        else:
            continue
        yield ((name,), (Name(variable, Form.VARIABLE),)) if variable else ((name,),)


def _commander(statement: Statement) -> Iterator[tuple[tuple[Name, ...], ...]]:
    for found in _COMMANDER.finditer(statement.text):
        if found[1] is None:
            yield ((Name(found[2], Form.POSITIONAL),),)
        elif flags := _FLAGS.findall(found[1]):
            yield ((Name(flags[0], Form.FLAG),),)


def _yargs(statement: Statement) -> Iterator[tuple[tuple[Name, ...], ...]]:
    for found in _YARGS.finditer(statement.text):
        for word in found[1].split(","):
            if re.fullmatch(r"[A-Za-z][\w-]{0,60}", word.strip()):
                yield ((Name(f"--{word.strip()}", Form.FLAG),),)


def _clap(statement: Statement) -> Iterator[tuple[tuple[Name, ...], ...]]:
    for found in _CLAP.finditer(statement.text):
        for line in found[1].split("\n"):
            flags = _FLAGS.findall(line)
            if flags:
                yield ((Name(flags[0], Form.FLAG),),)
            elif line.strip().startswith("<"):
                yield ((Name(line.strip().strip("<>."), Form.POSITIONAL),),)


def _cobra(statement: Statement) -> Iterator[tuple[tuple[Name, ...], ...]]:
    for found in _COBRA.finditer(statement.text):
        for flag in re.findall(r"\"([\w-]{1,80})\"", found[1]):
            yield ((Name(f"--{flag}", Form.FLAG),),)


def _variables(statement: Statement) -> Iterator[tuple[tuple[Name, ...], ...]]:
    for pattern in (_ENVCONFIG, _DECOUPLE, _ZOD_FIELD):
        for found in pattern.finditer(statement.text):
            yield ((Name(found[1], Form.VARIABLE),),)


def _fields(statement: Statement) -> Iterator[tuple[tuple[Name, ...], ...]]:
    """Fields of a pydantic model or a zod schema: variables where they are written as such."""
    if (found := _VALIDATION.search(statement.text)) and not _PROTOCOL.search(found[1]):
        for field in _PYDANTIC.finditer(statement.text):
            yield ((_field(field[1]),),)
    for found in _ZOD_PATH.finditer(statement.text):
        keys = re.findall(r'"([^"]{1,100})"', found[1])
        if keys:
            yield ((_field(keys[-1]),),)
    for found in _ZOD_FORMAT.finditer(statement.text):
        yield ((_field(found[1]),),)
    for found in _ZOD_PRETTY.finditer(statement.text):
        yield ((_field(found[1].rpartition(".")[2]),),)


def _expected(statement: Statement) -> Iterator[tuple[tuple[Name, ...], ...]]:
    """The command that serves, where a program lists those that it knows."""
    for found in _EXPECTED.finditer(statement.text):
        commands = tuple(re.findall(r"[\w-]{1,40}", found[1].replace(" or ", " ").replace(" and ", " ")))
        if word := serving_command(commands):
            yield ((Name(word, Form.COMMAND, commands),),)


def _key_error(statement: Statement) -> Iterator[tuple[tuple[Name, ...], ...]]:
    """A `KeyError` is about the environment when the line of code says so, or when the key looks like it."""
    found = _KEY.match(statement.text.strip())
    if not statement.exception.endswith("KeyError") or found is None:
        return
    if is_variable(found[1]) or _ENVIRON.search(statement.source):
        yield ((Name(found[1], Form.VARIABLE),),)


def _field(text: str) -> Name:
    return Name(text, Form.VARIABLE if is_variable(text) or text.isupper() else Form.IDENTIFIER)


def _argument(word: str) -> Name:
    """One argument as argparse lists it: `-k/--api-key`, a positional, or the choices of one."""
    flags = _FLAGS.findall(word)
    if flags or word.startswith("-"):
        return Name(max(flags, key=len) if flags else word.partition("/")[0], Form.FLAG)
    if word.startswith("{") and word.endswith("}"):
        return Name(word, Form.POSITIONAL, tuple(word.strip("{}").split(",")))
    return Name(word, Form.POSITIONAL)


_READERS: Final[tuple[Callable[[Statement], Iterator[tuple[tuple[Name, ...], ...]]], ...]] = (
    _argparse,
    _click,
    _commander,
    _yargs,
    _clap,
    _cobra,
    _variables,
    _fields,
    _key_error,
    _expected,
)
