"""Whether an answer will do: one by one as they are typed, and all of them together."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from avow.configure.paths import whole_path
from avow.configure.questions import Question, Texts
from avow.configure.subject import Subject
from avow.core.configuration.model import Parameter, ValueType
from avow.core.configuration.values import problem, written
from avow.system.configuration.known import Known
from avow.system.configuration.paths import look
from avow.system.configuration.preflight import Preflight, preflight
from avow.system.configuration.remembered import Remembered

_SHORT: Final = {"y": "true", "n": "false"}


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody has answered so far; nothing of it is kept anywhere yet.

    `given` by key; `emptied` are those that shall have no value any more; `asked` are all that were shown.
    `taken` are variables of our environment that the server may have, and `insisted` those of loaders.
    """

    given: Mapping[str, Texts] = field(default_factory=dict, repr=False)
    asked: tuple[str, ...] = ()
    emptied: tuple[str, ...] = ()
    taken: Mapping[str, str] = field(default_factory=dict)
    insisted: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing would change."""
        return not (self.given or self.emptied or self.taken)

    def followed_by(self, later: "Draft") -> "Draft":
        """These answers, changed by later ones."""
        changed = {*later.given, *later.emptied, *later.taken}
        return Draft(
            {**{key: texts for key, texts in self.given.items() if key not in changed}, **later.given},
            tuple(dict.fromkeys((*self.asked, *later.asked))),
            (*(key for key in self.emptied if key not in changed), *later.emptied),
            {**{key: name for key, name in self.taken.items() if key not in changed}, **later.taken},
            tuple(dict.fromkeys((*self.insisted, *later.insisted))),
        )


def tidied(parameter: Parameter, text: str) -> str:
    """An answer as it is meant: `yes` is `true`, `~` is the home directory, blanks around it are slips."""
    if parameter.type is ValueType.BOOLEAN:
        word = text.strip().lower()
        return written(parameter, _SHORT.get(word, word))
    if parameter.type is ValueType.PATH and text.strip():
        return whole_path(text.strip())
    return text if parameter.type is ValueType.STRING else text.strip()


def problem_with(question: Question, texts: Texts) -> str | None:
    """Which rule an answer breaks, in words that do not repeat it; None when it will do."""
    parameter = question.parameter
    if len(texts) > 1 and not parameter.multiple:
        return "only one value is possible"
    found = (problem(parameter, text, look=look) for text in texts)
    return next(filter(None, found), None)


def judge(subject: Subject, draft: Draft, environment: Mapping[str, str]) -> Preflight:
    """Whether the server could start with these answers beside what it has, and with what it would be."""
    taken = {key: (environment[name],) for key, name in draft.taken.items()}
    resolution = subject.with_answers({**taken, **draft.given}, without=draft.emptied)
    return preflight(_insisting(subject.known, draft.insisted), resolution)


def _insisting(known: Known, keys: tuple[str, ...]) -> Known:
    """What is known, as if these were insisted on already."""
    remembered = known.remembered or Remembered(known.identity.name, known.identity.digest)
    return replace(known, remembered=replace(remembered, insisted=(*remembered.insisted, *keys)))
