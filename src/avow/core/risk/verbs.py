"""Rates what a name or a first sentence says: a verb, and what it is done to."""

import re
from typing import Final, TypeAlias

from avow.core.risk import words
from avow.core.risk.model import Finding, Level, quoted
from avow.core.risk.reading import Evidence
from avow.core.risk.sentences import Statement, base_form

Rating: TypeAlias = tuple[Level, str]

_READ_ONLY: Final = re.compile(
    r"\bread[- ]only\b|\bonly select\b|\bselect (?:query|queries)\b", re.IGNORECASE
)
_OPEN: Final = words.PUBLIC | words.COMPUTED
_TAKE_AWAY: Final = words.DESTROY | words.DETACH
_MODIFY: Final = words.ADD | words.CHANGE
_RUNNING: Final = words.ADMINISTERED | words.CODE
_ABOUT_ITSELF: Final = re.compile(r"\b(?:this|the mcp|this mcp) server\b", re.IGNORECASE)


def judge(statement: Statement, evidence: Evidence) -> Finding:
    """What one statement shows."""
    level, why = _rate(statement, evidence)
    return Finding(level, f"{statement.source} says {quoted(statement.wording)}: {why}")


def only_adds(evidence: Evidence) -> bool:
    """Whether the name and the first sentence agree that something is added, and nothing changed."""
    return bool(evidence.statements) and all(statement.verb in words.ADD for statement in evidence.statements)


def public_source(evidence: Evidence) -> str:
    """The word that shows that what is read is public, made up or about the server itself, or nothing."""
    about = evidence.about
    private = about & words.PRIVATE
    itself = about & words.ITSELF or (about & words.INFORMATION and not private)
    if itself and not evidence.arguments and _ABOUT_ITSELF.search(evidence.text[:300]):
        return "this server"
    if found := evidence.topic & words.CLEARLY_PUBLIC:
        return min(found)
    if private:
        return ""
    if about & words.SITE_TOPICS and (found := about & words.SITES):
        return min(found)
    if found := about & _OPEN or evidence.said & words.PUBLIC_WEAK:
        return min(found)
    return "" if "id" in evidence.argument_words else min(about & words.ITSELF, default="")


def _rate(statement: Statement, evidence: Evidence) -> Rating:
    """Ask the questions of the rubric in its order; the first that fits answers."""
    verb = statement.verb
    if evidence.about & words.DEMONSTRATION and not evidence.has_path:
        return Level.LOW, "only a demonstration"
    if verb in words.OPERATE and _is_in_a_browser(evidence):
        return _operation(verb)
    if "request" in statement.everything | {verb} and _sends_requests(evidence):
        return Level.HIGH, "sends any request"
    if verb in _TAKE_AWAY:
        return _destruction(statement)
    if verb in words.EXECUTE:
        return _execution(statement, evidence)
    if verb in words.PUBLISH:
        return _publication(statement)
    if verb in words.SPEND:
        return Level.HIGH, "moves money or creates cost"
    if verb in words.ADMINISTER:
        return _administration(statement, evidence)
    if verb in words.COMPUTE:
        return _computation(statement, evidence)
    if verb in _MODIFY:
        return _change(statement, evidence)
    return _reading(statement, evidence)


def _is_in_a_browser(evidence: Evidence) -> bool:
    return bool(evidence.topic & words.BROWSER or evidence.argument_names & words.ELEMENT_ARGUMENTS)


def _operation(verb: str) -> Rating:
    if verb in {"hover", "scroll"}:
        return Level.MEDIUM, "moves in a page"
    return Level.HIGH, "acts in the name of the user"


def _sends_requests(evidence: Evidence) -> bool:
    return bool(evidence.topic & words.HTTP and evidence.argument_names & {"method", "body"})


def _destruction(statement: Statement) -> Rating:
    if statement.verb == "merge" and statement.object_words & words.CELLS:
        return Level.MEDIUM, "changes something that can be changed back"
    if statement.verb in words.DETACH and statement.object_words & words.UNDONE_EASILY:
        return Level.MEDIUM, "easily put back"
    return Level.HIGH, "takes away or ends something"


def _execution(statement: Statement, evidence: Evidence) -> Rating:
    everything = statement.everything
    if statement.verb in words.COMPUTE and not everything & words.CODE:
        return Level.LOW, "computes on its arguments"
    if everything & words.QUERY:
        return query(evidence)
    if statement.objects[:1] == ("get",):
        return Level.MEDIUM, "a GET request"
    if everything & words.LOOKING:
        return Level.MEDIUM, "only looks"
    if statement.verb in words.BEGIN and not everything & _RUNNING:
        return Level.MEDIUM, "starts something"
    return Level.HIGH, "executes"


def query(evidence: Evidence) -> Rating:
    """A query is high where its language can write, unless the definition says that it only reads."""
    looks = _READ_ONLY.search(evidence.text) or evidence.about & words.LOOKING
    if looks and not evidence.about & words.WRITING_QUERY:
        return Level.MEDIUM, "a query that only reads"
    languages = evidence.topic & words.DATABASE
    if evidence.argument_names & words.QUERY_ARGUMENTS or (
        languages and evidence.argument_names & words.QUERY_TEXTS
    ):
        return Level.HIGH, "a query that may write"
    return Level.MEDIUM, "a query"


def _publication(statement: Statement) -> Rating:
    everything = statement.everything
    if everything & words.DRAFT and statement.verb not in words.RELEASE:
        return Level.MEDIUM, "makes a draft"
    if statement.verb == "push" and not everything & words.PUSHED:
        return Level.MEDIUM, "adds something"
    if statement.verb == "react":
        return Level.MEDIUM, "easily taken back"
    return Level.HIGH, "reaches other people"


def _administration(statement: Statement, evidence: Evidence) -> Rating:
    if statement.verb in words.ALWAYS_ADMINISTER or statement.object_words & _RUNNING:
        return Level.HIGH, "changes what runs, or who may do what"
    return _change(statement, evidence)


def _change(statement: Statement, evidence: Evidence) -> Rating:
    objects, everything = statement.object_words, statement.everything
    if _can_delete(statement, evidence):
        return Level.HIGH, "and can delete"
    if _is_read_by_others(statement, evidence):
        return Level.HIGH, "other people read it"
    if statement.verb == "add" and evidence.about & words.NUMBERS:
        return Level.LOW, "computes on its arguments"
    if statement.head in words.ADMINISTERED or objects & words.ALWAYS_ADMINISTERED:
        return Level.HIGH, "permissions, credentials or infrastructure"
    if evidence.about & words.INFRASTRUCTURE:
        return Level.HIGH, "changes infrastructure"
    if statement.head in words.MONEY or objects & words.ALWAYS_MONEY:
        return Level.HIGH, "moves money or creates cost"
    if statement.verb in words.WRITE_FILE and everything & words.FILES and evidence.has_path:
        return Level.HIGH, "writes files"
    if statement.verb in {"set", "put"} and evidence.argument_names >= {"key", "value"}:
        return Level.HIGH, "overwrites a value"
    if statement.verb in words.MAKE and objects & words.MEDIA and "prompt" in evidence.argument_names:
        return Level.HIGH, "made by a model that costs money"
    return Level.MEDIUM, "changes something that can be changed back"


def _can_delete(statement: Statement, evidence: Evidence) -> bool:
    """ "Manages labels: create, update or delete" deletes; "adds or removes labels" can be undone."""
    many = statement.verb in words.MANAGE or bool({"batch", "bulk"} & set(evidence.name))
    choices = evidence.topic if many else statement.everything
    deleting = {found for word in choices if (found := base_form(word, words.DELETING))}
    return bool(deleting) and not (deleting == {"remove"} and choices & words.UNDONE_EASILY)


def _is_read_by_others(statement: Statement, evidence: Evidence) -> bool:
    objects, everything = statement.object_words, statement.everything
    if statement.verb == "upload" and evidence.argument_names & words.RECIPIENT_ARGUMENTS:
        return True
    if statement.verb not in words.WRITE_TO or everything & words.DRAFT:
        return False
    if objects & words.PUBLIC_WRITING or (objects & words.NOTES and everything & words.SHARED):
        return True
    proposal = statement.head in words.ISSUES or statement.objects[-2:] in words.PROPOSALS
    return proposal and statement.verb in words.MAKE and _is_on_a_forge(evidence)


def _is_on_a_forge(evidence: Evidence) -> bool:
    """On a code forge anybody may read an issue, and that is how data has been carried out."""
    said = frozenset(re.findall(r"[a-z]+", evidence.text[:2000].lower()))
    return bool(words.FORGES & (said | evidence.argument_names))


def _computation(statement: Statement, evidence: Evidence) -> Rating:
    if statement.verb == "generate":
        level, why = _change(statement, evidence)
        if level is Level.HIGH:
            return level, why
    if evidence.about & words.PRIVATE and not evidence.is_given and not statement.object_words & words.LINKS:
        return Level.MEDIUM, "on data that was not passed in"
    return Level.LOW, "computes on its arguments"


def _reading(statement: Statement, evidence: Evidence) -> Rating:
    if statement.verb == "query":
        level, why = query(evidence)
        if level is Level.HIGH:
            return level, why
    if source := public_source(evidence):
        return Level.LOW, f"public or reference data ({quoted(source)})"
    private = evidence.about & words.PRIVATE
    if not private and statement.verb == "research":
        return Level.LOW, "looks up what everybody may read"
    if not private and statement.verb in words.ANALYSE and evidence.is_given:
        return Level.LOW, "looks at its arguments"
    return Level.MEDIUM, "reads data that may be private"
