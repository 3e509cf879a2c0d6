"""Sentences with which a server asks for something: which names, in which combination, and how urgently."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final

from avow.system.diagnosis.output.names import Form, Name, Ways, names_in, ways_in
from avow.system.diagnosis.output.text import Level, Statement

_MOST_SENTENCES: Final = 5_000
_LONGEST_SENTENCE: Final = 4_000
_MOST_DEMANDS: Final = 1_000
_MOST_NAMES: Final = 256

_END: Final = re.compile(r"(?<=[.!?;。；])\s+(?=[^a-z\s])|\n|[。；]")
_MISSING: Final = re.compile(
    r"(?<![a-z])(?:required|requires?|mandatory|must|missing|needs?|needed|necessary|unset|undefined"
    r"|not (?:been |currently )?(?:set|provided|defined|found|specified|configured|given|supplied"
    r"|present|available|exist)"
    r"|(?:is|are|was|were)n[o']?t (?:been )?(?:set|provided|defined|found|specified|configured|given)"
    r"|(?:is|are|was|be|cannot be|can't be|must not be|should not be) (?:empty|none|null|blank)"
    r"|no [\w .-]{1,60} (?:set|provided|found|specified|configured|given|supplied|available)"
    r"|not enough|should be set|has to be|have to be|no such file|could not find|couldn't find"
    r"|cannot find|failed to (?:load|read|find|get)"
    r"|expected|without|lacks?|absent|invalid)(?![a-z])"
    r"|未设置|缺少|未配置|必须|需要|不能为空|未找到|没有设置|未提供"
)
_ASKING: Final = re.compile(
    r"(?:^|[\s\"'`(:>*-])(?:please\s+(?:\w+ly\s+)?)?(?:set|provide|specify|configure|define|export|pass"
    r"|supply|add|use|either)\s"
    r"|请设置|请配置|请提供|请在|设置"
)
_RELAXED: Final = re.compile(
    r"(?<![a-z])(?:optional(?:ly)?|default(?:s|ing|ed)?|fall(?:ing|s)? ?back|to enable"
    r"|enables?|disabled|disabling|recommended"
    r"|deprecated|ignor(?:ed|ing)|unauthenticated|rate limits?|anonymous(?:ly)?|skipp(?:ed|ing)"
    r"|will (?:not )?be (?:used|available)"
    r"|instead|for (?:better|higher|more)|in order to use|if you want|can be set|may be set"
    r"|alternatively|could also)(?![a-z])"
    r"|可选|默认"
)
_STATE: Final = re.compile(
    r"\W*[a-z0-9_ -]{2,80}\s?[:=]\s?\W?(?:not set|unset|undefined|none|null|not provided|not configured)\W*"
)
_STRICT: Final = re.compile(
    r"(?<![a-z])(?:required|must|mandatory|cannot start|can't start|exiting|aborting)(?![a-z])"
)
_CONDITION: Final = re.compile(
    r"(?<![a-z])(?:when|if|unless|e\.g\.|for example|such as|example:|like so)(?![a-z])"
)
_EXAMPLE: Final = re.compile(
    r"^\s*(?:export|set|\$env:)\s?\w{1,80}\s?=|^\s*[A-Z][A-Z0-9_]+=|^\s*\$ |^\s*[\"'][A-Za-z_]+[\"']\s*:"
)
_HELP_ROW: Final = re.compile(
    r"^\s*(?:-{1,2}[A-Za-z][\w-]{0,60}(?:[ =,|][^\s=,|]{0,40}){0,3}|[A-Z][A-Z0-9_]{2,80})\s{2,}\S"
    r"|^\s*usage(?![a-z])",
    re.IGNORECASE,
)
_USAGE: Final = re.compile(r"^\s*usage(?::|\s*$)", re.IGNORECASE)
_VALIDATED: Final = re.compile(r"\[type=\w{1,60}, input_value=")
_POSITIONAL: Final = re.compile(
    r"(?:provide|specify|pass|supply|give|expects?|needs?|requires?|missing) "
    r"(?:an? |the |your |at least one |one )?([A-Za-z][\w -]{1,40}?) "
    r"(?:as (?:an? |the )?|in the )(?:first |only |command[- ]line |positional |cli )*(?:argument|parameter)"
)
_PRONOUNS: Final = frozenset({"it", "one", "them", "this", "these", "that", "value", "values"})
_BULLET: Final = re.compile(r"^\s*(?:[-*•‣▪→✖✗×❌]+|\d{1,3}[.)])\s*")
_LISTED: Final = re.compile(r"^\s*[`'\"]?(?:\$\{?)?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|--[A-Za-z][\w-]*)")
_LINK: Final = re.compile(r"https://(?!errors\.pydantic)[A-Za-z0-9][\w./?=&%#~+:@-]{3,200}")
_THING: Final = re.compile(
    r"^(?:[A-Za-z_.]{1,60}: )?(?:an? |the |your |no |missing |invalid )?([A-Za-z][\w /-]{1,40}?)"
    r" (?:is|are|was|were|must|not|cannot|has|have)(?![a-z])"
)


class Strength(IntEnum):
    """How a demand was meant: it could be set, it is missed, it must be set."""

    OPTIONAL = 0
    MISSED = 1
    REQUIRED = 2


@dataclass(frozen=True, slots=True)
class Demand:
    """What one sentence asks for; without `ways` it asks in words that name nothing.

    `link` is an address that was given with it, where people get what is asked for.
    """

    sentence: str
    strength: Strength
    ways: Ways = ()
    thing: str = ""
    link: str = ""


def demands(said: Sequence[Statement]) -> tuple[Demand, ...]:
    """Every demand in what was said, in its order, as far as anybody would read."""
    return worth_reading(_demands(said))


def worth_reading(found: Iterable[Demand]) -> tuple[Demand, ...]:
    """Each demand once, until they are more, or name more, than any server needs that means well."""
    kept: dict[Demand, None] = {}
    names: set[Name] = set()
    for demand in found:
        kept[demand] = None
        names.update(name for way in demand.ways for name in way)
        if len(kept) >= _MOST_DEMANDS or len(names) >= _MOST_NAMES:
            break
    return tuple(kept)


def _demands(said: Sequence[Statement]) -> Iterator[Demand]:
    budget = _MOST_SENTENCES
    heading: Strength | None = None
    in_help = False
    for statement in said:
        link: str | None = None
        for whole in _END.split(statement.text):
            sentence = whole[:_LONGEST_SENTENCE]
            in_help = in_help or _USAGE.match(sentence) is not None
            budget -= 1
            if budget < 0:
                return
            listed = _listed(sentence) if heading is not None else None
            if heading is not None and listed is not None:
                yield Demand(sentence.strip(), heading, ((listed,),))
                continue
            heading = None
            demand = _demand(sentence, statement)
            if demand is None:
                continue
            link = _link(statement.text) if link is None else link
            demand = replace(demand, link=link)
            if in_help and statement.level is not Level.ERROR:
                # What a usage text says about an option is no complaint about its absence.
                demand = replace(demand, strength=Strength.OPTIONAL)
            yield demand
            if sentence.rstrip().endswith((":", "：")) and demand.strength:
                heading = demand.strength


def _listed(sentence: str) -> Name | None:
    """The name with which an item of a list begins."""
    bare = _BULLET.sub("", sentence, count=1)
    if not sentence.startswith((" ", "\t")) and bare == sentence and not _LISTED.match(sentence):
        return None
    found = _LISTED.match(bare)
    names = names_in(found[1]) if found else ()
    return names[0] if names else None


def _demand(sentence: str, statement: Statement) -> Demand | None:
    lowered = sentence.lower()
    missing, asking = _MISSING.search(lowered), _ASKING.search(lowered)
    if not missing and not asking:
        return None
    if _EXAMPLE.match(sentence) or _HELP_ROW.match(sentence) or _VALIDATED.search(sentence):
        return None
    ways = ways_in(_without_condition(sentence), identifiers=bool(missing))
    argument = None if ways else _POSITIONAL.search(lowered)
    if argument is not None and argument[1].strip() not in _PRONOUNS:
        name = Name(argument[1].strip(), Form.POSITIONAL)
        return Demand(sentence.strip(), Strength.REQUIRED, ((name,),))
    strength = _strength(lowered, statement.level, is_missing=bool(missing))
    if ways:
        return Demand(sentence.strip(), strength, ways)
    if not missing:
        return None
    return Demand(sentence.strip(), strength, (), _thing(sentence))


def _without_condition(sentence: str) -> str:
    """The sentence up to the condition or the example in it: the names there are not asked for."""
    found = _CONDITION.search(sentence, 12)
    return sentence if found is None else sentence[: found.start()]


def _strength(lowered: str, level: Level, *, is_missing: bool) -> Strength:
    if _RELAXED.search(lowered) and not _STRICT.search(lowered):
        return Strength.OPTIONAL
    if not is_missing:
        return Strength.MISSED if level is not Level.INFO else Strength.OPTIONAL
    if level is Level.WARNING:
        return Strength.MISSED
    if (level is Level.INFO and not _STRICT.search(lowered)) or _STATE.fullmatch(lowered):
        # A list of what is set and what is not is no complaint.
        return Strength.OPTIONAL
    return Strength.REQUIRED


def _link(text: str) -> str:
    found = _LINK.search(text)
    return found[0].rstrip(".,:;)") if found else ""


def _thing(sentence: str) -> str:
    """What a sentence without names misses, in its own words."""
    found = _THING.match(sentence.strip())
    return found[1].strip() if found else ""


def only(demand: Demand, forms: frozenset[Form]) -> Iterator[Name]:
    """The names of these forms."""
    return (name for way in demand.ways for name in way if name.form in forms)
