"""Placeholders in client files: what stands for a variable becomes its value, or is named as missing."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from avow.errors import UsageError
from avow.system.clients.table import Syntax

_PLACEHOLDER: Final = re.compile(
    r"\$\{\{ *+secrets\.(?P<secret>[A-Za-z0-9_./-]++) *+\}\}"
    r"|\$\{(?P<braces>[^{}]*+)\}"
    r"|\{env:(?P<curly>[^{}]*+)\}"
    r"|\$(?P<dollar>[A-Za-z_][A-Za-z0-9_]*+)"
)
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+")


@dataclass(frozen=True, slots=True)
class Expanded:
    """A text with its placeholders replaced; those whose variable is not set stay, and are named."""

    text: str
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What placeholders can refer to: the environment, the home directory and the project."""

    environ: Mapping[str, str]
    home: Path
    project: Path
    lenient: bool = False
    """Whether a placeholder that only the client can fill in stays, instead of being an error."""

    def expand(self, text: str, syntax: frozenset[Syntax]) -> Expanded:
        """Replace what the client would replace, once: a value is never expanded again.

        Raises:
            UsageError: a placeholder that only the client can fill, such as `${input:token}`.
        """
        missing: list[str] = []

        def value_or_itself(match: re.Match[str]) -> str:
            return self._value(match, syntax, missing.append)

        return Expanded(_PLACEHOLDER.sub(value_or_itself, text), tuple(missing))

    def _value(self, match: re.Match[str], syntax: frozenset[Syntax], miss: Callable[[str], None]) -> str:
        whole = match[0]
        name, default = "", None
        if match["secret"] is not None:
            name = match["secret"].rpartition("/")[2] if Syntax.SECRETS in syntax else ""
        elif match["curly"] is not None:
            name = match["curly"] if Syntax.CURLY in syntax else ""
        elif match["dollar"] is not None:
            name = match["dollar"] if Syntax.DOLLAR in syntax else ""
        elif Syntax.COLON in syntax and (known := self._predefined(match["braces"])) is not None:
            return known
        elif Syntax.COLON in syntax and match["braces"].startswith("env:"):
            name = match["braces"].removeprefix("env:")
        elif Syntax.BRACES in syntax:
            name, marked, rest = match["braces"].partition(":-")
            name, default = (name, rest if marked else None) if _NAME.fullmatch(name) else ("", None)
        if not name:
            return whole
        value = self.environ.get(name, default)
        if value is None:
            miss(name)
            return whole
        return value

    def _predefined(self, inside: str) -> str | None:
        match inside.split(":", 1):
            case ["userHome"]:
                return str(self.home)
            case ["workspaceFolder"]:
                return str(self.project)
            case ["workspaceFolderBasename"]:
                return self.project.name
            case ["pathSeparator" | "/"]:
                return "/"
            case [("input" | "command" | "config") as kind, name] if not self.lenient:
                raise UsageError(
                    f"it needs ${{{kind}:{name}}}, which only the client can fill in",
                    hint=f"give the value with -e, or write ${{env:NAME}} in place of ${{{kind}:{name}}}",
                )
            case _:
                return None
