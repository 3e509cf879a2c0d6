"""`avow configure` on a terminal: ask, sum up, try, keep; and ask again where it does not work."""

from dataclasses import replace

from avow.cli.asking.dialogue import converse
from avow.cli.asking.summaries import (
    introduction_lines,
    marked,
    outcome_lines,
    saved_lines,
    summary_lines,
)
from avow.cli.asking.terminal import ask_yes, say, tell
from avow.cli.failures import DECLINED
from avow.cli.output.console import BLANK, line
from avow.cli.progress import progress
from avow.configure.answering import Draft
from avow.configure.saving import Saved
from avow.configure.setup import Setup
from avow.configure.trying import CannotStart, Outcome, Rejected, Works
from avow.configure.wording import line_of, name_of
from avow.core.printable import printable
from avow.system.configuration.preflight import ConfigurationNeededError, Ready

_NOTHING_WRITTEN = "Nothing was written."


def configure_on_terminal(
    setup: Setup, *, everything: bool, save_anyway: bool, quiet: bool
) -> tuple[int, Saved | None]:
    """Go through all of it with a person; the exit code, and what was kept if anything was."""
    wanted = _wanted(setup, everything=everything)
    tell(introduction_lines(setup, len(wanted)))
    if barred := [parameter for parameter in setup.plan.refused if parameter.required]:
        say(line(("✗ ", "red"), f"it does not start without {', '.join(map(name_of, barred))}"))
        return DECLINED, None
    if not wanted and not setup.subject.gone:
        if not _wants_changes(setup):
            return 0, None
        wanted = _every_key(setup)
    draft: Draft | None = converse(setup.plan, setup.subject.name, wanted, setup.insisted)
    while draft is not None:
        if _changes_nothing(setup, draft):
            say(BLANK, line("Nothing changed."))
            return 0, None
        ready = setup.judge(draft)
        if isinstance(ready, ConfigurationNeededError):
            draft = _complete(setup, draft, ready)
            continue
        tell(summary_lines(setup, draft))
        if not ask_yes("Start the server with these values, and keep them if it works?", default=True):
            break
        outcome = _attempt(setup, ready, quiet=quiet)
        tell(outcome_lines(outcome))
        if isinstance(outcome, Works) or save_anyway:
            saved = setup.keep(draft)
            tell(saved_lines(saved, setup.subject.configuration))
            return 0, saved
        setup = _asking_for_more(setup, outcome)
        draft = _again(setup, draft, outcome)
    say(line(_NOTHING_WRITTEN))
    return DECLINED, None


def _every_key(setup: Setup) -> frozenset[str]:
    return frozenset(setup.questions)


def _wanted(setup: Setup, *, everything: bool) -> frozenset[str]:
    """The keys to ask about: all at first, later only what is new, missing or wrong."""
    if everything or setup.subject.known.remembered is None:
        return _every_key(setup)
    wanted = set(setup.subject.new)
    match setup.judge(Draft()):
        case ConfigurationNeededError() as needed:
            wanted |= _keys(setup, needed)
        case Ready():
            pass
    return frozenset(wanted & _every_key(setup))


def _keys(setup: Setup, needed: ConfigurationNeededError) -> set[str]:
    """The keys of what is missing or wrong."""
    names = {problem.name for problem in (*needed.missing, *needed.invalid)}
    return {key for key, one in setup.questions.items() if {key, one.parameter.binding.name} & names}


def _wants_changes(setup: Setup) -> bool:
    if not setup.questions:
        say(line("There is nothing to configure."))
        return False
    tell(summary_lines(setup, Draft()))
    return ask_yes("Everything is set. Change something?", default=False)


def _changes_nothing(setup: Setup, draft: Draft) -> bool:
    remembered = setup.subject.known.remembered
    known = remembered.answered if remembered else ()
    return draft.is_empty and not setup.subject.gone and bool(known) and set(draft.asked) <= set(known)


def _attempt(setup: Setup, ready: Ready, *, quiet: bool) -> Outcome:
    with progress(quiet=quiet) as show:
        name = line_of(setup.subject.name)
        trial = replace(setup.trial, on_progress=None if show is None else lambda text: show(name, text))
        return replace(setup, trial=trial).attempt(ready)


def _complete(setup: Setup, draft: Draft, needed: ConfigurationNeededError) -> Draft | None:
    """Ask once more for what is missing, wrong or at odds with something else."""
    say(BLANK, marked("✗ ", "red", printable(needed.message, fold=True)))
    if not ask_yes("Answer again?", default=True):
        return None
    shown = setup.with_draft(draft)
    wanted = _keys(shown, needed) or _every_key(shown)
    return draft.followed_by(converse(shown.plan, setup.subject.name, wanted, ()))


def _asking_for_more(setup: Setup, outcome: Outcome) -> Setup:
    """The same, with questions about what the server has just named for the first time."""
    if not isinstance(outcome, CannotStart):
        return setup
    new = [key for key in outcome.needs.parameters if key not in setup.subject.configuration.parameters]
    if not new:
        return setup
    say(line(f"It also asks for {line_of(', '.join(new))}."))
    return setup.asking_for(outcome.needs, setup.subject.source)


def _again(setup: Setup, draft: Draft, outcome: Outcome) -> Draft | None:
    """Ask once more after a start that failed: for credentials where they were rejected, else for all."""
    say(line(f"{_NOTHING_WRITTEN} (--save-anyway keeps values that do not work.)"))
    if not ask_yes("Answer again?", default=True):
        return None
    shown = setup.with_draft(draft)
    secret = frozenset(question.key for question in shown.plan if question.is_secret)
    unknown = _every_key(shown) - set(draft.asked)
    wanted = secret if isinstance(outcome, Rejected) else unknown
    wanted = wanted or _every_key(shown)
    return draft.followed_by(converse(shown.plan, setup.subject.name, wanted, ()))
