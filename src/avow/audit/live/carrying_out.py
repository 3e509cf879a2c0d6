"""Carrying out one probe: what came of it, or why nothing did."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from avow.audit.live.asking import WITH_EVERYTHING, unsolicited, uses_client
from avow.audit.live.probe import Comparison, Known, Probe, UnansweredError, View
from avow.audit.live.surface import Difference, Place, Surface, look_again
from avow.audit.live.talk import Talk
from avow.audit.live.visiting import NoTimeLeftError, Visitor
from avow.audit.model import Finding
from avow.errors import AvowError


@dataclass(frozen=True, slots=True)
class Suspect:
    """A view that showed something else than ordinary clients see, and what that was."""

    view: View
    places: frozenset[Place]


@dataclass(slots=True)
class Outcome:
    """What a probe found; `why` says what kept it from the end.

    Where `has_left`, the server went away, for which another one beside it may be the reason. What `suspects`
    showed has to be confirmed.
    """

    findings: list[Finding] = field(default_factory=list)
    why: str = ""
    is_late: bool = False
    has_left: bool = False
    uses_client: bool = False
    suspects: tuple[Suspect, ...] = ()


def carry_out(what: Probe | Comparison, visitor: Visitor, known: Known) -> Outcome:
    """Carry out a probe, or take the first look of a comparison, on a fresh connection."""
    outcome = Outcome()
    try:
        with visitor.visit() as talk:
            try:
                _converse(what, talk, known, outcome)
            except UnansweredError:
                outcome.why = talk.problem.message if talk.problem else "the server did not answer"
                outcome.has_left = talk.is_over
            outcome.uses_client = uses_client(talk)
            if what is not WITH_EVERYTHING:
                outcome.findings.extend(unsolicited(talk))
    except AvowError as exc:
        outcome.why, outcome.is_late = exc.message, isinstance(exc, NoTimeLeftError)
    return outcome


def confirm(comparison: Comparison, suspects: Iterable[Suspect], visitor: Visitor, known: Known) -> Outcome:
    """Look again through the eyes of the suspects, between two ordinary looks, with time for late changes.

    What ordinary clients see differently from one time to the next proves nothing, nor does what is new each
    time.
    """
    outcome = Outcome()
    try:
        _, before = _patient_look(visitor, comparison.ordinary)
        seen = [(suspect, *_patient_look(visitor, _eyes(suspect.view, known))) for suspect in suspects]
        _, after = _patient_look(visitor, comparison.ordinary)
    except UnansweredError:
        return replace(outcome, why="the server did not answer")
    except AvowError as exc:
        return replace(outcome, why=exc.message, is_late=isinstance(exc, NoTimeLeftError))
    changing = before.volatile(after)
    for suspect, talk, surface in seen:
        places = _places(_too_much(suspect.view, before, surface))
        found = _too_much(suspect.view, before, surface, changing | (places - suspect.places))
        outcome.findings.extend(_finding(suspect.view, talk, surface, difference) for difference in found)
        if places and not found:
            outcome.why = "its lists change by themselves"
    return outcome


def _converse(what: Probe | Comparison, talk: Talk, known: Known, outcome: Outcome) -> None:
    match what:
        case Probe():
            for finding in what.run(talk, known):
                # One by one: what was proved before the server fell silent stays proved.
                outcome.findings.append(finding)
        case Comparison():
            for view in what.views:
                surface = view.look(talk, known)
                found = _too_much(view, known.surface, surface, known.volatile) if surface else []
                if found:
                    outcome.suspects += (Suspect(view, _places(found)),)


def _eyes(view: View, known: Known) -> Callable[[Talk], Surface | None]:
    return lambda talk: view.look(talk, known)


def _patient_look(visitor: Visitor, see: Callable[[Talk], Surface | None]) -> tuple[Talk, Surface]:
    with visitor.visit() as talk:
        surface = see(talk)
        if surface is None:
            raise UnansweredError
        talk.listen()
        talk.listen()
        return talk, look_again(talk, surface)


def _too_much(
    view: View, ordinary: Surface, seen: Surface, ignoring: frozenset[Place] = frozenset()
) -> list[Difference]:
    differences = ordinary.differences(seen, ignoring)
    return [difference for difference in differences if difference.is_growth or view.counts_fewer]


def _places(differences: Iterable[Difference]) -> frozenset[Place]:
    return frozenset(place for difference in differences for place in difference.places)


def _finding(view: View, talk: Talk, surface: Surface, difference: Difference) -> Finding:
    evidence = talk.proof(*surface.proving(difference), about=difference.names)
    return view.rule.finding(f"{view.who}, it {difference}", evidence=evidence)
