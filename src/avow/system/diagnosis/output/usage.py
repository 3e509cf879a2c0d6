"""Usage texts: arguments that a command line cannot do without, and the command that starts the server."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from avow.system.diagnosis.output.names import Form, Name
from avow.system.diagnosis.output.text import Statement

_USAGE: Final = re.compile(r"(?i)(?<![a-z])usage(?::\s*(.{0,1000})|\s*)$")
_COMMANDS: Final = re.compile(r"(?i)^\W*(?:available )?(?:sub)?commands\W*$")
_COMMAND: Final = re.compile(r"([a-z][\w:-]{0,40})(?:\|[\w:-]{1,40})?")
_TOKEN: Final = re.compile(r"\[[^\]]{0,200}\]|<[^>]{1,80}>|\{[^}]{1,400}\}|\([^)]{0,300}\)|\S{1,200}")
_FLAG: Final = re.compile(r"--?[A-Za-z][\w-]*")
_METAVAR: Final = re.compile(r"[A-Z][A-Z0-9_-]+")
_LAUNCHERS: Final = frozenset(
    {"node", "npx", "python", "python3", "uvx", "uv", "run", "-m", "-y", "bunx", "bun", "deno"}
)
_SERVING: Final = (
    "stdio",
    "mcp",
    "serve",
    "server",
    "start",
    "mcp-server",
    "run",
    "start-server",
    "serve-mcp",
    "launch",
)


@dataclass(frozen=True, slots=True)
class Usage:
    """What a usage text says: what has to be there, which commands there are, choices by argument."""

    required: tuple[Name, ...] = ()
    commands: tuple[str, ...] = ()
    choices: dict[str, tuple[str, ...]] = field(default_factory=dict)
    wants_command: bool = False

    @property
    def is_there(self) -> bool:
        """Whether there was a usage text at all."""
        return bool(self.required or self.commands or self.wants_command)


def read_usage(said: Sequence[Statement]) -> Usage:
    """What the usage text in these statements says; an empty usage where there is none."""
    lines = [line for statement in said for line in statement.text.split("\n")]
    for place, line in enumerate(lines):
        if found := _USAGE.search(line):
            first = found[1] or next((one.strip() for one in lines[place + 1 :] if one.strip()), "")
            tokens = _TOKEN.findall(_whole(first, lines[place + 1 :] if found[1] else ()))
            required, wants = _required(tokens)
            commands = tuple(_commands(lines[place:]))
            return Usage(tuple(required), commands, _choices(tokens), wants or bool(commands))
    return Usage()


def serving_command(commands: Sequence[str]) -> str:
    """The command that starts a server on standard streams; empty when none does, or several do."""
    for word in _SERVING:
        if word in commands:
            return word
    about = [command for command in commands if "stdio" in command or "mcp" in command]
    return about[0] if len(about) == 1 else ""


def _whole(first: str, following: Sequence[str]) -> str:
    """The usage line with the lines into which argparse wrapped it."""
    whole = [first]
    for line in following[:20]:
        if not re.match(r"\s{6,}[\[\-<{(.A-Za-z]", line):
            break
        whole.append(line.strip())
    return " ".join(whole)


def _required(tokens: Sequence[str]) -> tuple[list[Name], bool]:
    """The arguments outside of brackets after the program's name; and whether a command is among them."""
    required: list[Name] = []
    wants_command = False
    rest = list(tokens)
    while (
        rest and (rest[0] in _LAUNCHERS or not required) and not rest[0].startswith(("[", "<", "{", "(", "-"))
    ):
        rest.pop(0)
    flag = ""
    for token in rest:
        if token.startswith("["):
            wants_command = wants_command or token.lower() in ("[command]", "[subcommand]")
        elif _FLAG.fullmatch(token):
            flag = token
            required.append(Name(token, Form.FLAG))
            continue
        elif token.startswith(("<", "{")) or _METAVAR.fullmatch(token):
            if flag:
                flag = ""
                continue
            inner = token.strip("<>{}").strip()
            if inner.lower() in ("command", "subcommand", "cmd"):
                wants_command = True
            elif token.startswith("{"):
                required.append(Name(inner, Form.POSITIONAL, tuple(inner.split(","))))
            elif inner.lower() not in ("options", "args", "arguments", "flags"):
                required.append(Name(inner.rstrip(". "), Form.POSITIONAL, multiple=inner.endswith("...")))
        elif not token.startswith(("(", "...")):
            break
        flag = ""
    return required[:16], wants_command


def _choices(tokens: Sequence[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for token in tokens:
        if token.startswith("{"):
            found.setdefault("", tuple(token.strip("{}").split(",")))
    return found


def _commands(lines: Sequence[str]) -> Iterator[str]:
    """The commands that are listed below a heading of that name."""
    inside = False
    for line in lines[:400]:
        if _COMMANDS.match(line.strip("─╭╮╰╯│ ")):
            inside = True
        elif inside and (command := _listed(line)):
            if command != "help":
                yield command
        elif inside and line.strip():
            return


def _listed(line: str) -> str:
    """The command in a line `command <argument> [option]  What it does.`; empty when it is no such line."""
    first, *others = line.strip().split("  ", 1)[0].split() or [""]
    found = _COMMAND.fullmatch(first)
    return found[1] if found and all(word[0] in "<[(" or word[-1] in ">])" for word in others) else ""
