"""The form of one server: shows its questions, takes what is filled in, tries it, keeps it."""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus

from avow.configure.answering import Draft
from avow.configure.paths import completions
from avow.configure.saving import Saved
from avow.configure.setup import Setup
from avow.configure.trying import CannotStart, Outcome, Rejected, Works
from avow.configure.web.listening import Answer
from avow.configure.web.pages import Banner, form_page, notice_page
from avow.configure.web.reading import Filled, draft_of, read_fields
from avow.configure.web.views import form_view
from avow.configure.wording import name_of
from avow.core.printable import printable
from avow.errors import AvowError
from avow.system.configuration.preflight import ConfigurationNeededError


@dataclass(frozen=True, slots=True)
class Finished:
    """What became of a form: what was kept, or nothing when somebody cancelled."""

    saved: Saved | None = None
    outcome: Outcome | None = None


class WebForm:
    """A form that is filled in at most once; requests come from several threads."""

    def __init__(self, setup: Setup) -> None:
        """Nothing is filled in yet."""
        self._setup = setup
        self._filled = Filled()
        self._lock = threading.Lock()
        self.finished: Finished | None = None

    def show(self, word: str) -> Answer:
        """The form as it is now."""
        if self.finished is not None:
            return _over()
        return Answer(form_page(form_view(self._setup, self._filled), word))

    def complete(self, text: str, field: str) -> list[str]:
        """Paths that begin like the text in a field."""
        for number, question in enumerate(self._setup.plan):
            if field == f"p{number}":
                return completions(text, question.parameter.path_kind)
        return []

    def submit(self, fields: Mapping[str, str], word: str) -> Answer:
        """Somebody pressed a button; one at a time."""
        with self._lock:
            if self.finished is not None:
                return _over()
            if fields.get("action") == "cancel":
                self.finished = Finished()
                return Answer(notice_page("Nothing was saved", "You can close this page."), is_last=True)
            self._filled = read_fields(self._setup.plan, fields, self._filled)
            return self._judge(word, insists=fields.get("action") == "insist")

    def _judge(self, word: str, *, insists: bool) -> Answer:
        if self._filled.problems:
            return self._again(word)
        draft = replace(draft_of(self._setup.plan, self._filled), insisted=self._setup.insisted)
        ready = self._setup.judge(draft)
        if isinstance(ready, ConfigurationNeededError):
            problems = dict(self._by_key(ready))
            self._filled = replace(self._filled, problems=problems)
            rest = printable("; ".join(ready.violated) if problems else ready.message)
            return self._again(word, Banner("Nothing was saved yet", rest) if rest else None)
        outcome = self._setup.attempt(ready)
        if not isinstance(outcome, Works) and not insists:
            return Answer(
                form_page(
                    form_view(self._setup, self._filled, banner=_banner(outcome), may_insist=True), word
                )
            )
        return self._keep(draft, outcome, word)

    def _keep(self, draft: Draft, outcome: Outcome, word: str) -> Answer:
        try:
            saved = self._setup.keep(draft)
        except AvowError as error:
            banner = Banner("It could not be saved", f"{error.message}. {error.hint}")
            return Answer(form_page(form_view(self._setup, self._filled, banner=banner), word))
        self.finished = Finished(saved, outcome)
        return Answer(self._done(saved, outcome), is_last=True)

    def _again(self, word: str, banner: Banner | None = None) -> Answer:
        page = form_page(form_view(self._setup, self._filled, banner=banner), word)
        return Answer(page, HTTPStatus.UNPROCESSABLE_ENTITY)

    def _by_key(self, needed: ConfigurationNeededError) -> Iterator[tuple[str, str]]:
        """What is wrong with each field."""
        for problem in (*needed.missing, *needed.invalid):
            for key, question in self._setup.questions.items():
                if problem.name in (key, question.parameter.binding.name):
                    needed_how = "one of these ways is needed" if problem.ways else "has to be filled in"
                    yield key, problem.reason or needed_how

    def _done(self, saved: Saved, outcome: Outcome) -> str:
        parameters = self._setup.subject.configuration.parameters
        rows = [(name_of(parameters[key]), f"kept in {saved.store}") for key in saved.secrets]
        rows += [
            (name_of(parameters[key]), "kept in Avow's own file, as it is no secret") for key in saved.keys
        ]
        rows += [
            (name_of(parameters[key]), f"taken from ${name} at start") for key, name in saved.taken.items()
        ]
        name = self._setup.subject.name
        if isinstance(outcome, Works):
            tools = sum(1 for one in outcome.snapshot.signature if one.kind.collection == "tools")
            words = f"The server started and offers {tools} tool{'' if tools == 1 else 's'}. "
        else:
            words = "The server did not work with these values, and you saved them nevertheless. "
        return notice_page(f"{name} is configured", words + "You can close this page.", rows, good=True)


def _banner(outcome: Rejected | CannotStart) -> Banner:
    if isinstance(outcome, Rejected):
        return Banner("The credentials were rejected: nothing was saved", outcome.message, outcome.said)
    heading = "The server did not start with these values: nothing was saved"
    return Banner(heading, outcome.message, outcome.said)


def _over() -> Answer:
    return Answer(notice_page("This form is done", "You can close this page."), HTTPStatus.GONE)
