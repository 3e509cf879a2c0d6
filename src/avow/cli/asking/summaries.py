"""What is about to be written, what came of trying it, and what was kept: as lines for a terminal."""

from collections.abc import Iterator

from avow.cli.output.console import BLANK, Line, Part, columns, line, styled
from avow.configure.agreeing import unseen_settings
from avow.configure.answering import Draft
from avow.configure.questions import Question, shown_texts
from avow.configure.saving import Saved
from avow.configure.setup import Setup
from avow.configure.subject import Subject
from avow.configure.trying import CannotStart, Outcome, Rejected, Works
from avow.configure.wording import line_of, name_of
from avow.core.capability import Kind
from avow.core.configuration.model import Configuration, Origin, ValueType
from avow.system.configuration.paths import look
from avow.system.configuration.values import Layer


def summary_lines(setup: Setup, draft: Draft) -> Iterator[Line]:
    """Everything that the server would be given, and what would be written where."""
    rows: list[list[Part]] = [_row(question, draft) for question in setup.plan]
    rows += [[line_of(key), "", "no longer asked for: dropped"] for key in setup.subject.gone]
    yield BLANK
    yield line((f"Summary for {line_of(setup.subject.name)}", "bold"))
    yield from columns([row for row in rows if row])
    if any(setup.questions[key].is_secret for key in draft.given):
        yield line(f"Secrets go to {setup.store.describe()}.", indent=2)


def introduction_lines(setup: Setup, count: int) -> Iterator[Line]:
    """Which server this is, how we know what it asks for, and how to get out of here."""
    subject = setup.subject
    yield line((line_of(subject.name), "bold"), (f"  {setup.command}", "dim"))
    yield line(f"{line_of(subject.source)}.")
    yield from notice_lines(setup)
    if count:
        yield line(("Enter keeps what stands in brackets. Ctrl-C leaves, and nothing is written.", "dim"))


def notice_lines(setup: Setup) -> Iterator[Line]:
    """What a person should know before answering anything."""
    subject = setup.subject
    for parameter in setup.plan.refused:
        yield marked(
            "! ",
            "yellow",
            f"it asks for {name_of(parameter)}, which decides which code runs, what is trusted, or where "
            f"traffic goes: not set (if you are sure: --allow-variable {name_of(parameter)})",
        )
    if subject.known.namesake:
        yield marked(
            "! ",
            "yellow",
            f"values are stored for another server called {line_of(subject.name)}; this one gets none",
        )
    yield from settings_lines(subject)
    for withheld in subject.resolution.withheld:
        if withheld.layer in (Layer.ENVIRONMENT, Layer.DEFAULT):
            # These are questions of their own.
            continue
        yield marked("! ", "yellow", f"{line_of(withheld.key)}: {line_of(withheld.reason)}")


def settings_lines(subject: Subject) -> Iterator[Line]:
    """What the settings of the project give the server, as long as nobody has agreed to that."""
    if settings := unseen_settings(subject):
        yield marked("! ", "yellow", f"the settings in {line_of(str(subject.known.place))} give it")
        yield from (line(text, indent=4) for text in settings)


def outcome_lines(outcome: Outcome) -> Iterator[Line]:
    """What came of starting the server."""
    match outcome:
        case Works(snapshot=snapshot):
            tools = sum(1 for capability in snapshot.signature if capability.kind is Kind.TOOL)
            yield marked("✓ ", "green", f"it works: {tools} tool{'' if tools == 1 else 's'}")
        case Rejected(message=message, said=said):
            yield marked("✗ rejected credentials: ", "red", line_of(message))
            yield from _quoted(said)
        case CannotStart(message=message, said=said, cause=cause):
            yield marked("✗ it cannot start: ", "red", line_of(message))
            yield from _quoted(said)
            if cause:
                yield line(line_of(cause), indent=2)


def saved_lines(saved: Saved, configuration: Configuration) -> Iterator[Line]:
    """What was kept where."""

    def names(keys: tuple[str, ...]) -> str:
        return ", ".join(name_of(configuration.parameters[key]) for key in keys)

    if saved.secrets:
        yield marked("✓ ", "green", f"{names(saved.secrets)}: kept in {saved.store}")
    if saved.keys:
        yield marked("✓ ", "green", f"{names(saved.keys)}: kept in Avow's own file, in clear")
    for key, variable in saved.taken.items():
        yield line(
            ("✓ ", "green"), f"{names((key,))}: taken from ${variable} of the environment at every start"
        )
    if saved.dropped:
        yield line(("✓ ", "green"), f"no longer kept: {', '.join(map(line_of, saved.dropped))}")


def marked(mark: str, style: str, text: str) -> Line:
    """A line behind a mark, to which it wraps."""
    return Line(styled((mark, style)), styled(text))


def _row(question: Question, draft: Draft) -> list[Part]:
    name = name_of(question.parameter)
    if question.key in draft.given:
        texts = draft.given[question.key]
        note = "changed" if question.current else "new"
        if question.parameter.type is ValueType.PATH and any(look(text) is None for text in texts):
            note += "; there is nothing at this path yet"
        return [name, line_of(shown_texts(question, texts)), note]
    if question.key in draft.taken:
        return [name, f"${draft.taken[question.key]}", "from the environment, at every start"]
    if question.key in draft.emptied:
        return [name, "", "taken away"]
    if question.current:
        shown = line_of(shown_texts(question, question.current.texts))
        return [name, shown, f"from {line_of(question.current.origin)}"]
    if not question.default and question.parameter.source.origin is not Origin.DECLARATION:
        # A program's code reads much that nobody sets.
        return []
    if question.default:
        return [name, line_of(shown_texts(question, question.default)), "default"]
    return [name, "", "not set"]


def _quoted(said: str) -> Iterator[Line]:
    lines = said.splitlines()
    if len(lines) > 12:
        yield line(("…", "dim"), indent=4)
    for one in lines[-12:]:
        yield line((line_of(one), "dim"), indent=4)
