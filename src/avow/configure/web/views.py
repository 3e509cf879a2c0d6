"""The form as it is shown: sections of fields, made from questions and what is filled in."""

from collections.abc import Callable, Iterator

from avow.configure.agreeing import unseen_settings
from avow.configure.questions import Question, Texts, shown_texts
from avow.configure.setup import Setup
from avow.configure.web.fields import Control, Field
from avow.configure.web.pages import Banner, FormView, Section
from avow.configure.web.reading import Filled, control_of
from avow.configure.wording import description_of, kind_of, line_of, link_of, name_of, remarks_of, title_of
from avow.core.configuration.model import GroupRule, ValueType


def form_view(
    setup: Setup, filled: Filled, *, banner: Banner | None = None, may_insist: bool = False
) -> FormView:
    """Everything that the page shows."""
    numbers = {question.key: number for number, question in enumerate(setup.plan)}
    name = line_of(setup.subject.name)

    def view(question: Question, *, is_required: bool) -> Field:
        return _field(question, numbers[question.key], filled, name, is_required=is_required)

    return FormView(
        name=name,
        command=setup.command,
        store=f"Secrets are kept in {setup.store.describe()}.",
        sections=list(_sections(setup, view)),
        notes=tuple(_notes(setup)),
        banner=banner,
        may_insist=may_insist,
    )


def _sections(setup: Setup, view: "Callable[..., Field]") -> Iterator[Section]:
    plan = setup.plan
    if plan.required:
        yield Section("Required", tuple(view(question, is_required=True) for question in plan.required))
    for alternative in plan.alternatives:
        is_choice = alternative.rule is GroupRule.ONE_OF
        note = "One way is enough; leave the others empty." if is_choice else "One way is enough."
        for number, way in enumerate(alternative.ways, start=1):
            names = " and ".join(name_of(question.parameter) for question in way)
            yield Section(
                f"Way {number} of {len(alternative.ways)}: {names}",
                tuple(view(question, is_required=False) for question in way),
                note=note,
            )
    if plan.optional:
        is_bare = not (plan.required or plan.alternatives)
        heading = "Optional" if is_bare else f"Optional ({len(plan.optional)})"
        fields = tuple(view(question, is_required=False) for question in plan.optional)
        yield Section(heading, fields, is_folded=not is_bare)


def _notes(setup: Setup) -> Iterator[str]:
    subject = setup.subject
    for parameter in setup.plan.refused:
        name = name_of(parameter)
        yield (
            f"{line_of(subject.name)} asks for {name}, which decides which code runs or where traffic goes. "
            f"Nobody is asked for it; if you are sure: --allow-variable {name}."
        )
    if subject.known.namesake:
        yield (
            f"Values are stored for another server that is also called {line_of(subject.name)}. "
            "This one gets none of them."
        )
    if settings := unseen_settings(subject):
        yield f"The settings in {line_of(str(subject.known.place))} give it {'; '.join(settings)}."
    if subject.gone:
        yield f"No longer asked for, and dropped when you save: {', '.join(map(line_of, subject.gone))}."


def _field(question: Question, number: int, filled: Filled, server: str, *, is_required: bool) -> Field:
    parameter, key = question.parameter, question.key
    control = control_of(question)
    texts = filled.typed.get(key, question.offered)
    return Field(
        number,
        title_of(parameter),
        control,
        text="" if control is Control.SECRET else "\n".join(texts),
        description=description_of(parameter),
        kind="" if control is Control.CHECK else kind_of(question) + _separator(question),
        remarks=tuple(_remarks(question)),
        link=link_of(parameter),
        problem=filled.problems.get(key, ""),
        choices=tuple(_choices(question)),
        is_required=is_required,
        kept=_kept(question, filled.typed.get(key, ())),
        may_go=question.is_secret and bool(question.current) and not is_required,
        ambient=_offer(question, server),
        is_taken=key in filled.taken,
    )


def _remarks(question: Question) -> Iterator[str]:
    if question.current:
        yield f"at present from {line_of(question.current.origin)}"
    yield from remarks_of(question)


def _separator(question: Question) -> str:
    if not question.parameter.multiple:
        return ""
    return ", with blanks between them" if question.is_secret else ", each on a line of its own"


def _choices(question: Question) -> Iterator[tuple[str, str]]:
    parameter = question.parameter
    if question.current is None or not parameter.required:
        yield "", "choose" if parameter.required else "not set"
    if parameter.type is ValueType.BOOLEAN:
        yield from (("true", "yes"), ("false", "no"))
    for choice in parameter.choices:
        yield choice, line_of(choice)


def _kept(question: Question, typed: Texts) -> str:
    if not question.is_secret:
        return ""
    if typed:
        return f"{shown_texts(question, typed)}, as you typed it"
    return (
        f"{shown_texts(question, question.current.texts)}, stays when left empty" if question.current else ""
    )


def _offer(question: Question, server: str) -> str:
    name = question.ambient
    return f"Give {server} the value of ${name} from the environment of this terminal" if name else ""
