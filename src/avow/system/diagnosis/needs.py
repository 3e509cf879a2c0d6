"""What a server has to be told, from every source at once: which names are required, which are alternatives.

The output knows what is required now, the code what else will be, and what may be left out; a declaration
and a manifest say what their author thought of. A claim of the code that the server's start has refuted is
not repeated.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from avow.core.configuration.model import Configuration, Where
from avow.system.diagnosis.at_calls import ways_at_calls
from avow.system.diagnosis.code.model import CodeFacts, Need
from avow.system.diagnosis.evidence import Evidence, Outcome
from avow.system.diagnosis.gathering import Gathering, Needs
from avow.system.diagnosis.naming import parameter_of, tells
from avow.system.diagnosis.output import Cause, Demand, Said, Strength
from avow.system.diagnosis.output.names import Form, Name
from avow.system.diagnosis.output.usage import serving_command
from avow.system.diagnosis.tables import Identity, Table, Way

_CERTAIN = 0.5


def gather(
    evidence: Evidence, said: Said, facts: CodeFacts, manifests: Sequence[Configuration], cause: Cause | None
) -> Needs:
    """Everything that the server needs."""
    gathering = Gathering()
    for configuration in (*([evidence.declared] if evidence.declared else []), *manifests):
        _from_configuration(gathering, configuration)
    _from_code(gathering, facts, evidence, said)
    _from_output(gathering, said, evidence, cause)
    return gathering.result()


def asks_for_something(facts: CodeFacts, manifests: Sequence[Configuration], given: frozenset[str]) -> bool:
    """Whether the code or a manifest says that the server does not start as it was started."""
    declared = (one for each in manifests for one in each if one.required and one.default is None)
    wanted = (*declared, *(fact.parameter for fact in facts.needed(Need.START, confidence=_CERTAIN)))
    return any(parameter.binding.name not in given for parameter in wanted)


def _from_configuration(gathering: Gathering, configuration: Configuration) -> None:
    keys = gathering.table.keys(configuration)
    for parameter in configuration:
        if parameter.required and parameter.default is None:
            gathering.required.append(keys[parameter.key])
    for group in configuration.groups:
        gathering.demand([tuple(keys[key] for key in way) for way in group.ways])


def _from_code(gathering: Gathering, facts: CodeFacts, evidence: Evidence, said: Said) -> None:
    keys = {fact.parameter.key: gathering.table.add(fact.parameter) for fact in facts.facts}
    grouped = {key for each in facts.groups for way in each.group.ways for key in way}
    if evidence.outcome is not Outcome.OK and not _contradicts(facts, said):
        for each in facts.groups:
            if each.need is Need.START and each.confidence >= _CERTAIN:
                gathering.demand([tuple(keys[key] for key in way if key in keys) for way in each.group.ways])
        for fact in facts.needed(Need.START, confidence=_CERTAIN):
            if fact.parameter.key not in grouped:
                gathering.required.append(keys[fact.parameter.key])
    if not evidence.has_failed:
        _from_calls(gathering, facts, keys, evidence)


def _from_calls(
    gathering: Gathering, facts: CodeFacts, keys: Mapping[str, Identity], evidence: Evidence
) -> None:
    """What the server starts without, and fails without when a tool is called."""
    groups = [each for each in facts.groups if each.need is Need.CALL and each.confidence >= _CERTAIN]
    for each in groups:
        gathering.demand([tuple(keys[key] for key in way if key in keys) for way in each.group.ways])
    if groups:
        return
    ways = ways_at_calls(facts.facts, evidence.names, _CERTAIN)
    gathering.demand([tuple(keys[fact.parameter.key] for fact in way) for way in ways])


def _contradicts(facts: CodeFacts, said: Said) -> bool:
    """Whether the server asked for something that its code, as far as it was followed, never reaches.

    The code was then followed another way than the one that the server went.
    """
    needed = {
        name
        for fact in facts.needed(Need.START, confidence=_CERTAIN)
        for name in (fact.parameter.binding.name, *fact.parameter.aliases)
    }
    asked = {
        name.text
        for demand in (*said.fixed, *said.demands)
        if demand.strength > Strength.OPTIONAL
        for way in demand.ways
        for name in way
        if _is_plain(name)
    }
    return bool(needed) and bool(asked) and not needed & asked


def _from_output(gathering: Gathering, said: Said, evidence: Evidence, cause: Cause | None) -> None:
    counting = cause is Cause.CONFIGURATION or evidence.outcome is Outcome.OK
    asked = dict.fromkeys(_asked(said, evidence)) if counting else {}
    for demand in asked:
        gathering.demand(_ways(gathering.table, demand), told=True)
    for demand in (*said.fixed, *said.demands):
        if demand not in asked:
            for name in (name for way in demand.ways for name in way):
                _known_or_new(gathering.table, name, demand, only_certain=True)
    if cause is Cause.CONFIGURATION and not gathering.required and not gathering.groups:
        _from_usage(gathering, said)
    if cause is Cause.CONFIGURATION and not gathering.required and not gathering.groups:
        _from_prose(gathering, said)


def _asked(said: Said, evidence: Evidence) -> Iterator[Demand]:
    """The demands that have to be met: those in fixed words and strict prose, else whatever is missed."""
    least = Strength.MISSED if evidence.outcome is Outcome.OK else Strength.REQUIRED
    named = [demand for demand in said.demands if demand.ways and demand.strength >= least]
    if evidence.outcome is Outcome.OK:
        # A server that works has asked for what it names as people do, and not for its own identifiers.
        named = [demand for demand in named if all(_is_plain(name) for way in demand.ways for name in way)]
    if not said.fixed and not named:
        named = [demand for demand in said.demands if demand.ways and demand.strength is Strength.MISSED]
    yield from _with_usage(said)
    yield from (demand for demand in named if not _is_about_fixed(demand, said))


def _is_plain(name: Name) -> bool:
    return name.form in (Form.VARIABLE, Form.FLAG)


def _with_usage(said: Said) -> Iterator[Demand]:
    """The demands in fixed words, with the choices that the usage text gives for a positional."""
    choices = said.usage.choices.get("", ())
    for demand in said.fixed:
        ways = tuple(tuple(_chosen(name, choices) for name in way) for way in demand.ways)
        yield replace(demand, ways=ways)


def _chosen(name: Name, choices: tuple[str, ...]) -> Name:
    """A positional of which one choice starts the server is that word."""
    if name.form is not Form.POSITIONAL:
        return name
    word = serving_command(name.choices or choices)
    return Name(word, Form.COMMAND, name.choices or choices) if word else name


def _is_about_fixed(demand: Demand, said: Said) -> bool:
    """Whether a sentence only repeats what the fixed words in it said already."""
    return any(
        fixed.sentence.startswith(demand.sentence[:100]) or demand.sentence in fixed.sentence
        for fixed in said.fixed
    )


def _ways(table: Table, demand: Demand) -> list[Way]:
    """The ways of a demand as parameters; an identifier may stand for a variable and for a flag."""
    ways: list[Way] = []
    for way in demand.ways:
        found = [_known_or_new(table, name, demand) for name in way]
        if len(found) == 1:
            ways += [(identity,) for identity in found[0]]
        else:
            ways.append(tuple(identities[0] for identities in found if identities))
    return ways


def _known_or_new(
    table: Table, name: Name, demand: Demand, *, only_certain: bool = False
) -> tuple[Identity, ...]:
    parameter = replace(parameter_of(name, demand.sentence[:200]), help_url=demand.link)
    if table.find(parameter.binding.where, parameter.binding.name):
        return (table.add(parameter),)
    if name.form in (Form.IDENTIFIER, Form.POSITIONAL) and (called := table.called(name.text)):
        return called
    if name.form is Form.IDENTIFIER and (ending := table.ending_in(name.text)):
        return (ending,)
    if name.form is Form.FILE and (pointing := tuple(_pointing(table, name.text))):
        return (*pointing, table.add(parameter))
    if only_certain and name.form not in (Form.VARIABLE, Form.FLAG):
        return ()
    return (table.add(parameter),)


def _pointing(table: Table, file: str) -> Iterator[Identity]:
    """Variables and flags whose default is this file: setting them is the other way to say where it is."""
    base = file.rpartition("/")[2]
    for identity in table:
        default = table[identity].default
        if (
            isinstance(default, str)
            and default.rpartition("/")[2] == base
            and identity[0] in (Where.ENV, Where.ARGUMENT)
        ):
            yield identity


def _from_usage(gathering: Gathering, said: Said) -> None:
    """Nothing else was asked for: what the usage line cannot do without."""
    usage = said.usage
    demand = Demand("usage", Strength.REQUIRED)
    for name in usage.required:
        chosen = _chosen(name, name.choices)
        gathering.demand([_known_or_new(gathering.table, chosen, demand)[:1]])
    if not usage.required and usage.wants_command and (word := serving_command(usage.commands)):
        gathering.demand([_known_or_new(gathering.table, Name(word, Form.COMMAND, usage.commands), demand)])


def _from_prose(gathering: Gathering, said: Said) -> None:
    """Something is missing that no sentence names: what in the code is called so, or the words themselves."""
    for demand in said.demands:
        if demand.ways or demand.strength is not Strength.REQUIRED or not demand.thing:
            continue
        meant = [identity for identity in gathering.table if tells(demand.thing, identity[1])]
        if meant:
            gathering.demand([(identity,) for identity in meant])
        else:
            words = Name(demand.thing, Form.IDENTIFIER)
            gathering.demand([(gathering.table.add(parameter_of(words, demand.sentence[:200])),)])
        return
