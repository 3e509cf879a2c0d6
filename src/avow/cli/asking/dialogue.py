"""A whole conversation about one server: what it needs first, then the rest if somebody wants to."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from avow.cli.asking.prompts import Give, Keep, Remove, Take, ask
from avow.cli.asking.terminal import ask_line, ask_yes, say
from avow.cli.output.console import BLANK, line, plural
from avow.configure.answering import Draft
from avow.configure.questions import Alternative, Plan, Question
from avow.configure.wording import line_of, name_of
from avow.core.configuration.model import GroupRule


@dataclass(slots=True)
class _Answers:
    """What was answered so far."""

    given: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    asked: list[str] = field(default_factory=list)
    emptied: list[str] = field(default_factory=list)
    taken: dict[str, str] = field(default_factory=dict)

    def put(self, question: Question, server: str, *, is_required: bool) -> None:
        """Ask one question and note the answer."""
        key = question.key
        reply = ask(question, server, is_required=is_required)
        self.asked.append(key)
        match reply:
            case Give(texts=texts):
                self.given[key] = texts
            case Take(variable=variable):
                self.taken[key] = variable
            case Remove():
                self.emptied.append(key)
            case Keep():
                pass

    def draft(self, insisted: Iterable[str]) -> Draft:
        """The answers as a value."""
        return Draft(
            dict(self.given), tuple(self.asked), tuple(self.emptied), dict(self.taken), tuple(insisted)
        )


def converse(plan: Plan, server: str, wanted: Collection[str], insisted: Iterable[str]) -> Draft:
    """Ask the questions that are `wanted`, required ones first, and whether to go on with the others.

    Raises:
        KeyboardInterrupt: somebody leaves.
    """
    server = line_of(server)
    answers = _Answers()
    for question in plan.required:
        if question.key in wanted:
            answers.put(question, server, is_required=True)
    for alternative in plan.alternatives:
        if any(question.key in wanted for way in alternative.ways for question in way):
            _ask_way(alternative, server, answers)
    optional = [question for question in plan.optional if question.key in wanted]
    if optional and _wants_optional(optional):
        for question in optional:
            answers.put(question, server, is_required=False)
    else:
        # They were shown and left as they are.
        answers.asked += [question.key for question in optional if question.current is None]
    return answers.draft(insisted)


def _wants_optional(questions: list[Question]) -> bool:
    names = ", ".join(name_of(question.parameter) for question in questions[:6])
    more = ", …" if len(questions) > 6 else ""
    say(BLANK, line(f"{plural(len(questions), 'optional value')}: ", (names + more, "dim")))
    one = "it" if len(questions) == 1 else "them"
    return ask_yes(f"Configure {one} too?", default=False)


def _ask_way(alternative: Alternative, server: str, answers: _Answers) -> None:
    """Let somebody choose one of several ways, and ask for what it takes."""
    rule = "one of these" if alternative.rule is GroupRule.ONE_OF else "at least one of these"
    say(BLANK, line(("There are several ways", "bold"), (f"  {rule} is needed", "dim")))
    for number, way in enumerate(alternative.ways, start=1):
        names = " and ".join(name_of(question.parameter) for question in way)
        say(line((f"{number}  ", "dim"), names, indent=2))
    chosen = _number(len(alternative.ways), alternative.answered)
    for number, way in enumerate(alternative.ways):
        for question in way:
            if number == chosen:
                answers.put(question, server, is_required=True)
            elif question.current and alternative.rule is GroupRule.ONE_OF:
                # Two ways at once would leave it to chance which one counts.
                answers.emptied.append(question.key)


def _number(count: int, offered: int | None) -> int:
    default = f" [{offered + 1}]" if offered is not None else ""
    while True:
        text = ask_line(f"  which (1 to {count}){default}: ").strip()
        if not text and offered is not None:
            return offered
        if text.isascii() and text.isdigit() and 0 < int(text) <= count:
            return int(text) - 1
        say(line(("✗ ", "red"), f"please type a number from 1 to {count}", indent=2))
