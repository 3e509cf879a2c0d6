"""From facts to a diagnosis: one function, the same for recordings and for servers that were just started."""

from collections.abc import Iterable

from avow.core.configuration.model import Parameter
from avow.system.diagnosis.code.model import CodeFacts
from avow.system.diagnosis.deciding import decide
from avow.system.diagnosis.evidence import Evidence, Outcome
from avow.system.diagnosis.gathering import Needs
from avow.system.diagnosis.manifests import read_manifests
from avow.system.diagnosis.model import Diagnosis, Status
from avow.system.diagnosis.needs import asks_for_something, gather
from avow.system.diagnosis.output import Cause, Said, listen
from avow.system.diagnosis.wording import STATUS, next_step, sentence


def diagnose(evidence: Evidence, name: str = "", facts: CodeFacts | None = None) -> Diagnosis:
    """What is wrong with a server, and what it needs; `name` is what its user calls it."""
    said = listen(evidence)
    code = facts or CodeFacts()
    manifests = () if evidence.package is None else read_manifests(evidence.package)
    cause = decide(evidence, said, lacks=asks_for_something(code, manifests, evidence.given))
    needs = gather(evidence, said, code, manifests, cause)
    wanted = tuple(lacking(needs.parameters, needs, evidence.given))
    if cause is None and wanted and not evidence.has_failed:
        cause = Cause.CONFIGURATION
    status = _status(cause, evidence)
    return Diagnosis(
        status,
        sentence(cause, evidence, said, wanted),
        needs.parameters,
        needs.groups,
        needs.proposed,
        next_step(status, name, said, evidence.command),
        _words(said),
    )


def lacking(parameters: Iterable[Parameter], needs: Needs, given: frozenset[str]) -> Iterable[Parameter]:
    """What is required and was not given; nothing of a group of which one way was."""
    satisfied = {
        key
        for group in needs.groups
        if any(all(key in given for key in way) for way in group.ways)
        for way in group.ways
        for key in way
    }
    for parameter in parameters:
        asked = parameter.required or parameter.key in needs.proposed
        if asked and parameter.key not in given and parameter.key not in satisfied:
            yield parameter


def _status(cause: Cause | None, evidence: Evidence) -> Status:
    if cause is not None:
        return STATUS[cause]
    return Status.OK if evidence.outcome in (Outcome.OK, Outcome.NOT_TRIED) else Status.ERROR


def _words(said: Said) -> tuple[str, ...]:
    return tuple(statement.text for statement in said.statements[-3:])
