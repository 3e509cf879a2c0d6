"""What a server printed, as statements: without colours and frames, tracebacks and source lines set apart.

Everything here is linear in a text of bounded length: the server may be hostile.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from avow.system.diagnosis.evidence import LONGEST_OUTPUT

_LONGEST_LINE: Final = 2_000
_MOST_LINES: Final = 20_000

_ESCAPES: Final = re.compile(
    r"\x1b(?:\[[0-9;?]{0,32}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,512}(?:\x07|\x1b\\)|[@-Z\\-_])"
)
_FRAME: Final = "│┃║|╭╮╰╯┌┐└┘─━═╶╴"
_BARS: Final = ("│", "┃", "║")
_BORDER: Final = re.compile(r"^\s*(?:[╭┌╰└][─━═]|\+-{2})")
_TITLE: Final = re.compile(r"^\s*[╭┌][─━═]+ ?([^─━═╮┐]{1,80}?) ?[─━═]")
_GROUPED: Final = re.compile(r"^\s{0,40}(?:\|\s|\+[-+ ]+|\|$)")
_TRACEBACK: Final = re.compile(r"^\s*(?:\+ )?(?:Exception Group )?Traceback \(most recent call last\):")
_FILE: Final = re.compile(r'^\s*File "[^"]{1,1000}", line \d{1,9}')
_NAMED: Final = re.compile(
    r"^(?:Uncaught |Unhandled )?((?:[\w$]+\.){0,20}[\w$]+)(?: \[[A-Z_]{1,60}\])?: ?(.*)$"
)
_EXCEPTION_WORDS: Final = (
    "Error",
    "Exception",
    "Exit",
    "NotFound",
    "Failure",
    "Missing",
    "Undefined",
    "Improperly",
)
_STACK: Final = re.compile(r"^\s+at (?:async )?\S")
_PLACE: Final = re.compile(r"^(?:file://)?/?\S{1,1000}:\d{1,7}(?::\d{1,7})?$")
_CARET: Final = re.compile(r"^\s*[\^~]+\s*$")
_LEVEL: Final = re.compile(
    r"(?<![A-Za-z])(ERROR|FATAL|CRITICAL|WARNING|WARN|INFO|DEBUG|TRACE|NOTICE|error|fatal|warning|warn"
    r"|info|debug|Error|Warning)"
    r"(?=[\]:|\s\"',-]|$)"
)
_LOG_HEAD: Final = re.compile(r"^\[\d\d/\d\d/\d\d \d\d:\d\d:\d\d\] [A-Z]+ ")
_TIMED: Final = re.compile(r"\[?(?:\d{2,4}[-/:.]|time=|[A-Z]{4,8}[ :|])")
_LOGGER: Final = re.compile(
    r"^(?:\(\d{1,8}\): |[\w.<>]{1,120}:[\w.<>]{1,80}:\d{1,6} - |[\w.]{1,120}:(?=[A-Z]))"
)
_HEAD: Final = 90
_LONGEST_BLOCK: Final = 400


class Level(StrEnum):
    """How seriously the server meant it."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    NONE = ""


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that the server said.

    `exception` is the type of the exception whose message this is, and `source` the line of code at which it
    was raised, as a traceback shows it.
    """

    text: str
    level: Level = Level.NONE
    exception: str = ""
    source: str = ""


def statements(texts: Sequence[str]) -> tuple[Statement, ...]:
    """Everything that the texts say, in their order, at most so much of it as is worth reading."""
    budget = LONGEST_OUTPUT
    found: list[Statement] = []
    for text in texts:
        part = _bounded(text, budget)
        budget -= len(part)
        found += _Reader(_lines(part)).read()
    return tuple(found)


def _bounded(text: str, budget: int) -> str:
    """The beginning and the end of a text that is too long: reasons stand in either."""
    if len(text) <= budget:
        return text
    half = budget // 2
    return text[:half] + "\n" + text[len(text) - half :] if half else ""


def _lines(text: str) -> list[str]:
    plain = _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    lines = [line[:_LONGEST_LINE] for line in plain.split("\n")[:_MOST_LINES]]
    return [_ungrouped(line) for line in lines] if "Exception Group Traceback" in plain else lines


class _Reader:
    """Goes through the lines once, and knows whether it is in a traceback, a frame or plain prose."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._place = 0

    def read(self) -> Iterator[Statement]:
        while self._place < len(self._lines):
            line = self._lines[self._place]
            if _BORDER.match(line) and not _GROUPED.match(line):
                yield from self._boxed()
            elif _TRACEBACK.match(line):
                yield from self._traceback()
            elif self._is_snippet():
                self._skip_snippet()
            else:
                self._place += 1
                if _STACK.match(line) or _CARET.match(line):
                    continue
                yield from self._prose(line)

    def _boxed(self) -> Iterator[Statement]:
        """A frame drawn with lines: a traceback of code, or a message wrapped to the width of a terminal."""
        title = _TITLE.match(self._lines[self._place])
        is_code = title is not None and "Traceback" in title[1]
        level = Level.ERROR if title is not None and "Error" in title[1] else Level.NONE
        self._place += 1
        depth, inside, source = 1, [], ""
        while self._place < len(self._lines) and depth:
            line = self._lines[self._place]
            self._place += 1
            if not line.lstrip().startswith(_BARS):
                depth -= 1
                continue
            framed = line.strip().strip("".join(_BARS))
            inside.append(framed)
            if "❱" in framed:
                source = framed.partition("❱")[2].lstrip(" 0123456789").strip("│ ")
        if is_code:
            yield from self._exception(source)
        elif title is not None and not level:
            # A table, such as typer's list of commands.
            yield Statement(f"{title[1].strip()}:")
            yield from (Statement(line.rstrip()) for line in inside if line.strip())
        else:
            yield from (_statement(text, level) for text in _unwrapped(inside))

    def _traceback(self) -> Iterator[Statement]:
        """A Python traceback: only the last line of code and the exception itself say why."""
        self._place += 1
        source, is_new = "", False
        while self._place < len(self._lines):
            bare = self._lines[self._place]
            if _FILE.match(bare):
                is_new = True
            elif bare.startswith((" ", "\t")) or not bare.strip():
                if is_new and bare.strip():
                    source, is_new = bare.strip(), False
            else:
                break
            self._place += 1
        yield from self._exception(source)

    def _exception(self, source: str) -> Iterator[Statement]:
        """The exception after a traceback, with the lines that belong to its message."""
        while self._place < len(self._lines) and not self._lines[self._place].strip():
            self._place += 1
        if self._place >= len(self._lines):
            return
        first = self._lines[self._place]
        self._place += 1
        found = _exception(first)
        name, text = found if found else (first.strip().rstrip(":").rpartition(" ")[2], first)
        if found is None and not re.fullmatch(r"[\w.]{1,200}", first.strip()):
            name = ""
        rest = [text]
        while self._place < len(self._lines) and len(rest) < 200:
            line = self._lines[self._place]
            if (
                not line.strip()
                or _TRACEBACK.match(line)
                or _STACK.match(line)
                or _BORDER.match(self._lines[self._place])
            ):
                break
            rest.append(line)
            self._place += 1
        yield Statement("\n".join(rest), Level.ERROR, name or "Exception", source)

    def _is_snippet(self) -> bool:
        """Whether Node shows here the line of code that failed: a place, code, and a caret below it."""
        if not _PLACE.match(self._lines[self._place].strip()):
            return False
        return any(_CARET.match(line) for line in self._lines[self._place + 1 : self._place + 5])

    def _skip_snippet(self) -> None:
        while not _CARET.match(self._lines[self._place]):
            self._place += 1
        self._place += 1

    def _prose(self, line: str) -> Iterator[Statement]:
        bare = line
        if not bare.strip():
            return
        if bare.lstrip().startswith("{") and (said := _json_words(bare)):
            yield said
            return
        if bare.rstrip().endswith(("[", "{")) and (block := self._block()):
            yield Statement("\n".join([bare, *block]), _level(bare) or Level.ERROR)
            return
        if found := _exception(bare.strip()):
            name, text = found
            yield Statement("\n".join([text, *self._continued()]), _level(bare) or Level.ERROR, name)
            return
        if _LOG_HEAD.match(bare):
            wrapped = [bare.rstrip()]
            while self._place < len(self._lines) and self._lines[self._place].startswith(" " * 18):
                wrapped.append(self._lines[self._place].strip())
                self._place += 1
            bare = " ".join(_without_place(part) for part in wrapped)
        yield _statement(bare, Level.NONE)

    def _block(self) -> list[str]:
        """The rest of a value that is printed over several lines, up to the bracket that ends it."""
        for count, line in enumerate(self._lines[self._place : self._place + _LONGEST_BLOCK], start=1):
            if line.startswith(("]", "}")):
                block = list(self._lines[self._place : self._place + count])
                self._place += count
                return block
            if not line.startswith((" ", "\t")):
                return []
        return []

    def _continued(self) -> Iterator[str]:
        """The lines that follow `Error: …` up to the stack: some errors are lists."""
        for _ in range(100):
            if self._place >= len(self._lines):
                return
            line = self._lines[self._place]
            if (
                not line.strip()
                or _STACK.match(line)
                or not line.startswith((" ", "\t", "-", "[", "]", "*", "•"))
            ):
                return
            self._place += 1
            yield line


def _exception(line: str) -> tuple[str, str] | None:
    """The type and the message, where a line is an exception."""
    found = _NAMED.match(line)
    if found is None or not any(word in found[1] for word in _EXCEPTION_WORDS):
        return None
    return found[1], found[2]


def _statement(text: str, level: Level) -> Statement:
    return Statement(_without_head(text.rstrip()), level or _level(text))


def _without_head(text: str) -> str:
    """A log line without time, level and logger, whose names are nobody's configuration."""
    found = _LEVEL.search(text[:_HEAD])
    if found is None or not _TIMED.match(text):
        return text
    rest = text[found.end() :].lstrip(" \t:|]-")
    return _LOGGER.sub("", rest, count=1)


def _level(text: str) -> Level:
    found = _LEVEL.search(text[:_HEAD])
    match found[1].lower() if found else "":
        case "error" | "fatal" | "critical":
            return Level.ERROR
        case "warning" | "warn":
            return Level.WARNING
        case "info" | "debug" | "trace" | "notice":
            return Level.INFO
        case _:
            return Level.NONE


def _ungrouped(line: str) -> str:
    """The line without the bars that Python draws beside the exceptions of a group."""
    if _GROUPED.match(line) is None:
        return line
    bare = line.lstrip()
    while bare.startswith(("|", "+")):
        bare = bare[1:].removeprefix(" ") if bare.startswith("|") else bare.lstrip("+-").removeprefix(" ")
    return bare


def _unwrapped(lines: Sequence[str]) -> Iterator[str]:
    """Lines of a frame as whole sentences: one that is nearly as wide as the widest goes on in the next."""
    width = max((len(line.rstrip()) for line in lines), default=0)
    whole = ""
    for line in lines:
        text = line.strip(_FRAME + " \t")
        whole = f"{whole} {text}" if whole else text
        if len(line.rstrip()) < width - 12 or not text or len(whole) > _LONGEST_LINE:
            yield whole
            whole = ""
    if whole:
        yield whole


def _without_place(text: str) -> str:
    """A log line of rich without the file that it names at its right edge."""
    head, gap, tail = text.rpartition("  ")
    return head.rstrip() if gap and re.fullmatch(r"\s?[\w.]{1,60}\.py:\d{1,6}", tail) else text


def _json_words(line: str) -> Statement | None:
    """The message of a log line that is JSON, as pino, winston, bunyan and structlog write them."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    words = [
        record[key] for key in ("msg", "message", "event", "error", "err") if isinstance(record.get(key), str)
    ]
    level = record.get("level", record.get("severity", ""))
    if isinstance(level, int):
        level = "error" if level >= 50 else "warn" if level >= 40 else "info"
    return _statement(" ".join(words), _level(str(level))) if words else None
