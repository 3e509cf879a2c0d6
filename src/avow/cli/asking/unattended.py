"""`avow configure` without anybody to ask: everything that is missing at once, or done and said so."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from avow.cli.asking.summaries import notice_lines, outcome_lines, saved_lines
from avow.cli.failures import DECLINED, failure_lines
from avow.cli.output import write
from avow.cli.output.console import to_string
from avow.configure.answering import Draft
from avow.configure.saving import Saved
from avow.configure.setup import Setup
from avow.configure.trying import CannotStart, Outcome, Rejected, Works
from avow.configure.wording import line_of, name_of
from avow.core.canonical import JsonObject
from avow.core.configuration.hazards import is_secret
from avow.system.configuration.preflight import ConfigurationNeededError

_STATUS = {Works: "configured", Rejected: "rejected", CannotStart: "cannot_start"}


@dataclass(frozen=True, slots=True)
class Telling:
    """How the result is told."""

    text: bool
    quiet: bool


def configure_unattended(
    setup: Setup, draft: Draft, wrong: Mapping[str, str], telling: Telling, *, save_anyway: bool
) -> tuple[int, Saved | None]:
    """Judge, try and keep the answers; the exit code, and what was kept if anything was."""
    if telling.text and not telling.quiet:
        sys.stderr.write("".join(f"{each.head.plain}{each.body.plain}\n" for each in notice_lines(setup)))
    if draft.emptied and not draft.given and not wrong:
        # Whoever takes something away need not show that the server works without it.
        emptied = setup.keep(draft)
        _tell(setup, None, emptied, telling)
        return 0, emptied
    ready = setup.judge(draft)
    if wrong or isinstance(ready, ConfigurationNeededError):
        needed = ready if isinstance(ready, ConfigurationNeededError) else None
        _tell_needed(setup, needed, wrong, telling)
        return DECLINED, None
    if draft.is_empty and not setup.subject.gone:
        _tell(setup, None, None, telling)
        return 0, None
    outcome = setup.attempt(ready)
    saved = setup.keep(draft) if isinstance(outcome, Works) or save_anyway else None
    _tell(setup, outcome, saved, telling)
    return 0 if saved is not None else DECLINED, saved


def _tell_needed(
    setup: Setup, needed: ConfigurationNeededError | None, wrong: Mapping[str, str], telling: Telling
) -> None:
    """Say what is missing or wrong, all of it at once."""
    name = setup.subject.name
    if not telling.text:
        from avow.cli.output.json import dumps

        document: JsonObject = {"server": name, "status": "needs_configuration"}
        if needed is not None:
            document |= {
                key: value for key, value in needed.data["avow"].items() if key not in ("reason", "server")
            }
        invalid = [item for item in document.get("invalid", []) if item["name"] not in wrong]
        parameters = setup.subject.configuration.parameters
        invalid += [
            {
                "name": parameters[key].binding.name,
                "kind": str(parameters[key].binding.where),
                "sensitive": is_secret(parameters[key]),
                "rule": rule,
            }
            for key, rule in wrong.items()
        ]
        write(dumps({**document, "invalid": invalid}))
        return
    for rule in wrong.values():
        sys.stderr.write(failure_lines(rule, ""))
    if needed is not None:
        agreement = ["say --yes to agree to the settings"] if setup.subject.known.is_unseen else []
        sys.stderr.write(failure_lines(needed.message, "; ".join((*agreement, *_ways(needed)))))


def _ways(needed: ConfigurationNeededError) -> Iterator[str]:
    """How to give what is missing without a terminal."""
    missing = {problem.name: problem.sensitive for problem in needed.missing}
    plain = next((name for name, sensitive in missing.items() if not sensitive), None)
    secret = next((name for name, sensitive in missing.items() if sensitive), None)
    if plain:
        yield f"add --set {line_of(plain)}=VALUE"
    if secret:
        one = line_of(secret)
        yield f"add --set-stdin {one}, or --set-from-env {one}, or --set-file {one}=PATH"


def _tell(setup: Setup, outcome: Outcome | None, saved: Saved | None, telling: Telling) -> None:
    if telling.text:
        lines = list(outcome_lines(outcome)) if outcome else []
        lines += saved_lines(saved, setup.subject.configuration) if saved else ()
        failed = outcome is not None and not isinstance(outcome, Works)
        if failed:
            sys.stderr.write("".join(f"{each.head.plain}{each.body.plain}\n" for each in lines))
            if saved is None:
                sys.stderr.write("nothing was saved; --save-anyway keeps values that do not work\n")
        elif not telling.quiet:
            write(to_string(lines) or f"{line_of(setup.subject.name)} has everything that it needs\n")
        return
    write_document(setup, outcome, saved)


def write_document(setup: Setup, outcome: Outcome | None, saved: Saved | None, status: str = "") -> None:
    """Print the result for a program; `status` says it where there was no start."""
    from avow.cli.output.json import dumps

    document = _document(setup, outcome, saved)
    write(dumps({**document, "status": status or document["status"]}))


def _document(setup: Setup, outcome: Outcome | None, saved: Saved | None) -> JsonObject:
    parameters = setup.subject.configuration.parameters

    def names(keys: tuple[str, ...]) -> list[str]:
        return [name_of(parameters[key]) for key in keys]

    document: JsonObject = {"server": setup.subject.name, "status": "configured"}
    if outcome is not None:
        document["status"] = _STATUS[type(outcome)]
    if isinstance(outcome, Rejected | CannotStart):
        document |= {"message": outcome.message, "output": outcome.said}
    if isinstance(outcome, CannotStart):
        document |= {"cause": outcome.cause, "asks_for": list(outcome.needs.parameters)}
    document["saved"] = [] if saved is None else names((*saved.secrets, *saved.keys))
    if saved is not None:
        document |= {"store": saved.store, "dropped": list(saved.dropped)}
    return document
