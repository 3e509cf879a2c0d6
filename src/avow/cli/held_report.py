"""The report of `avow check` about servers that have to be approved in a registry, too."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace

from avow.cli.approvals import RegistryOptions
from avow.cli.output import print_drift, write
from avow.cli.output.report import DriftReport
from avow.core.publication import ServerName
from avow.system.checking import Compared
from avow.system.registry_approvals import ask, judge
from avow.system.registry_standing import Standing


@dataclass(frozen=True)
class HeldReport(DriftReport):
    """A drift report with how each server stands in the registry, by name."""

    standings: Mapping[str, Standing] = field(default_factory=dict)

    @property
    def refused(self) -> Mapping[str, str]:
        """The servers that are not approved there, each with who decided what."""
        return {
            name: f"{standing.sentence}. {standing.error.hint}"
            for name, standing in self.standings.items()
            if not standing.is_approved
        }

    @property
    def remarks(self) -> tuple[str, ...]:
        """Why an answer may not be all there is to know now."""
        return tuple(f"{name}: {doubt}" for name, each in self.standings.items() for doubt in each.doubts)

    @property
    def is_clean(self) -> bool:
        """Whether nothing is to be told: no drift, and every server approved by a registry that answered."""
        return super().is_clean and not self.refused and not self.remarks

    @property
    def exit_code(self) -> int:
        """As without a registry, and 1 when a server is not approved there."""
        return super().exit_code or int(bool(self.refused))

    def verdict(self, compared: Compared) -> str:
        """One server in a few words; `as approved` is said only if it is, in both places."""
        if compared.name not in self.refused:
            return super().verdict(compared)
        standing = self.standings[compared.name]
        return ", ".join(filter(None, (compared.counts, f"not approved in {standing.approved.environment}")))

    @property
    def closing(self) -> str:
        """The last line; what the registry does not approve is not for a lockfile to approve."""
        return (
            f"Not approved in the registry: {', '.join(self.refused)}." if self.refused else super().closing
        )


def hold(report: DriftReport, held: RegistryOptions, names: Mapping[str, ServerName]) -> HeldReport:
    """Ask the registry about every server that was looked at, and tell its answer with the drift.

    Raises:
        VerificationError: the registry's log was changed, or says something else than the registry.
        AvowError: there is no answer, and none remembered.
    """
    with held.asking() as asking:
        standings = {
            each.name: judge(asking, ask(asking, names[each.name]), each.snapshot.signature.digest)
            for each in report.compared
            if each.snapshot is not None
        }
    outcomes = (
        replace(each, notes=(*each.notes, *_notes(standings[each.name])))
        if isinstance(each, Compared) and each.name in standings
        else each
        for each in report.outcomes
    )
    told = replace(report, outcomes=tuple(outcomes))
    return HeldReport(**{each.name: getattr(told, each.name) for each in fields(told)}, standings=standings)


def print_held(report: HeldReport, format_name: str) -> None:
    """Print it; machines get the registry's whole answer."""
    if format_name == "json":
        from avow.cli.output.json import dumps, outcome_document

        servers = {each.name: outcome_document(each) for each in report.outcomes}
        for name, standing in report.standings.items():
            servers[name]["registry"] = standing.document()
        write(dumps({"servers": servers}))
        return
    print_drift(report, format_name)


def _notes(standing: Standing) -> tuple[str, ...]:
    next_step = "" if standing.is_approved else standing.error.hint
    return tuple(filter(None, (standing.sentence, next_step, standing.newest, *standing.doubts)))
