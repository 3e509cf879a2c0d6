"""What a server that works will be missing when a tool is called, as its code tells: its own credentials.

A server reads many variables that it can do without. Those that it cannot are mostly credentials for the
service that it is named after, and what belongs to them: an id to a secret, a user to a password. A token
and a password are two ways to the same door.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from avow.core.configuration.model import Where
from avow.system.diagnosis.code.model import CodeFact, Need
from avow.system.diagnosis.naming import words_of

_PROVEN: Final = 0.7
_MOST_STRANGERS: Final = 2
_MOST_TOKENS: Final = 2
_PLAIN: Final = frozenset(
    {"api", "key", "token", "access", "personal", "secret", "auth", "service", "account", "id", "password"}
    | {"username", "user", "admin", "bot", "app", "client", "pat", "pwd", "pass", "jwt", "mcp"}
)
_GENERIC: Final = frozenset(
    {"mcp", "server", "api", "key", "token", "tools", "the", "for", "client", "access"}
)
# The last words of a secret, and those of what is given with it.
_COMPANIONS: Final = {
    ("secret", "access", "key"): (("access", "key", "id"),),
    ("client", "secret"): (("client", "id"),),
    ("password",): (("username",), ("user",)),
    ("api", "key"): (("library", "id"), ("project", "id"), ("account", "id")),
}


def ways_at_calls(
    facts: Sequence[CodeFact], names: Iterable[str], confidence: float
) -> tuple[tuple[CodeFact, ...], ...]:
    """The ways to satisfy the tools of a server with these names; none where they need nothing."""
    own = _words(names)
    certain = [fact for fact in facts if fact.confidence >= confidence and _counts(fact)]
    akin = [fact for fact in certain if own & _words([_name(fact)])]
    if not akin:
        akin = certain if len(certain) <= _MOST_STRANGERS else []
    if proven := [fact for fact in akin if fact.confidence >= _PROVEN]:
        return (tuple(proven),)
    plain = [fact for fact in akin if set(words_of(_name(fact))) <= own | _PLAIN]
    ways = (_family(plain or akin, facts, *endings) for endings in _FAMILIES)
    return tuple(way for way in ways if way)


def _counts(fact: CodeFact) -> bool:
    """Whether it is a variable that a tool misses; what begins with MCP guards the server itself."""
    is_variable = fact.parameter.binding.where is Where.ENV
    return fact.need is Need.CALL and is_variable and words_of(_name(fact))[:1] != ("mcp",)


_FAMILIES: Final = (("key", "token", "pat", "id", "url"), ("password", "pwd", "pass"), ("secret",))


def _family(wanted: Sequence[CodeFact], facts: Sequence[CodeFact], *endings: str) -> tuple[CodeFact, ...]:
    """The credentials of one kind, with what is given together with them."""
    kin = [fact for fact in wanted if words_of(_name(fact))[-1:] and words_of(_name(fact))[-1] in endings]
    kin = kin[:_MOST_TOKENS]
    return tuple(dict.fromkeys((*_companions(kin, facts), *kin)))


def _companions(wanted: Iterable[CodeFact], facts: Sequence[CodeFact]) -> Iterator[CodeFact]:
    """What is given together with a secret, where the code reads that as well, without a default."""
    for fact in wanted:
        words = words_of(_name(fact))
        for ending, others in _COMPANIONS.items():
            if words[-len(ending) :] == ending:
                together = [(*words[: -len(ending)], *other) for other in others]
                yield from (other for other in facts if _goes_with(other, fact, together))


def _goes_with(other: CodeFact, fact: CodeFact, together: Sequence[tuple[str, ...]]) -> bool:
    same = other.parameter.binding.where is fact.parameter.binding.where
    return same and other.parameter.default is None and words_of(_name(other)) in together


def _name(fact: CodeFact) -> str:
    return fact.parameter.binding.name


def _words(names: Iterable[str]) -> set[str]:
    return {word for name in names for word in words_of(name) if len(word) > 2} - _GENERIC
