"""One set-up from the first question to the last word: the same steps for a terminal, a form and a script."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from avow.configure.answering import Draft, judge
from avow.configure.questions import Plan, Question
from avow.configure.saving import Saved, keep
from avow.configure.subject import Subject
from avow.configure.trying import Outcome, Trial, try_server
from avow.core.configuration.model import Configuration
from avow.system.configuration.preflight import Preflight, Ready
from avow.system.secret_store import SecretStore


@dataclass(frozen=True, slots=True)
class Setup:
    """A server, the questions about it, and what is needed to try and to keep the answers."""

    subject: Subject
    plan: Plan
    store: SecretStore
    trial: Trial
    environment: Mapping[str, str] = field(repr=False)
    insisted: tuple[str, ...] = ()
    command: str = ""
    """How the server is started, in words without credentials."""

    @property
    def questions(self) -> dict[str, Question]:
        """Every question by its key."""
        return {question.key: question for question in self.plan}

    def with_draft(self, draft: Draft) -> "Setup":
        """The same, with answers shown as if they were there already, to ask for them once more."""
        resolution = self.subject.with_answers(draft.given, without=draft.emptied)
        subject = replace(self.subject, resolution=resolution)
        return replace(self, subject=subject, plan=subject.plan(self.environment, self.insisted))

    def asking_for(self, more: Configuration, source: str) -> "Setup":
        """The same, with questions about what was found out meanwhile."""
        subject = self.subject.with_needs(more, source)
        return replace(self, subject=subject, plan=subject.plan(self.environment, self.insisted))

    def judge(self, draft: Draft) -> Preflight:
        """Whether the answers suffice."""
        return judge(self.subject, draft, self.environment)

    def attempt(self, ready: Ready) -> Outcome:
        """Start the server with them."""
        return try_server(self.subject.name, self.subject.reachable, ready, self.trial)

    def keep(self, draft: Draft) -> Saved:
        """Keep them."""
        return keep(self.subject, draft, self.store)
