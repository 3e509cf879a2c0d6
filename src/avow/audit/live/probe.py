"""What a probe is: a conversation on a fresh connection, and the findings that it proves."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from avow.audit.live.surface import Place, Surface
from avow.audit.live.talk import Talk
from avow.audit.model import Finding, Pattern, RuleInfo


@dataclass(frozen=True, slots=True)
class Known:
    """What an ordinary session showed, which of it changes by itself, and which tools may be called."""

    surface: Surface
    volatile: frozenset[Place] = frozenset()
    has_session: bool = True
    allowed: frozenset[str] = frozenset()


class UnansweredError(Exception):
    """The server did not say enough for a probe to tell anything."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One conversation: what it is called, which pattern it looks at, and how it goes.

    It is not carried out where the rule `unless` was broken already: it would only show the same once more.
    """

    name: str
    pattern: Pattern
    run: Callable[[Talk, Known], Iterator[Finding]] = field(compare=False)
    unless: RuleInfo | None = None


@dataclass(frozen=True, slots=True)
class View:
    """A look at the server as somebody else, which has to show what everybody sees.

    `look` is None where the server refuses such a client. Without `counts_fewer` only more is too much.
    """

    who: str
    rule: RuleInfo
    look: Callable[[Talk, Known], Surface | None] = field(compare=False)
    counts_fewer: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """Views that may share a connection, and how an ordinary client looks at the server in that era."""

    name: str
    views: tuple[View, ...]
    ordinary: Callable[[Talk], Surface | None] = field(compare=False)
    pattern: Pattern = Pattern.FEATURE_GRANTS
