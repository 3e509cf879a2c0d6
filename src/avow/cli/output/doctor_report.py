"""What a visit by the doctor found, before any format gives it a shape."""

from dataclasses import dataclass, field

from avow.core.configuration.hazards import is_secret
from avow.core.configuration.model import Parameter, Where
from avow.system.diagnosis.examining import Examined
from avow.system.diagnosis.model import Diagnosis, Status

KINDS = {Where.ENV: "env", Where.ARGUMENT: "argument", Where.HEADER: "header", Where.FILE: "file"}


@dataclass(frozen=True, slots=True)
class Visited:
    """One server: what was found, and whether it could be looked at at all."""

    name: str
    examined: Examined
    looked: bool = True

    @property
    def diagnosis(self) -> Diagnosis:
        """What was found."""
        return self.examined.diagnosis

    @property
    def is_well(self) -> bool:
        """Whether there is nothing to do."""
        return self.diagnosis.status is Status.OK

    def rows(self) -> tuple["Row", ...]:
        """What the server can be told, what it lacks first."""
        required = {one.key for one in self.diagnosis.required}
        rows = [self._row(one, is_required=one.key in required) for one in self.diagnosis.parameters]
        return tuple(sorted(rows, key=lambda row: (not row.required, row.present)))

    def _row(self, one: Parameter, *, is_required: bool) -> "Row":
        return Row(
            one.binding.name,
            KINDS.get(one.binding.where, "other"),
            one,
            required=is_required,
            present=one.key in self.examined.present,
        )


@dataclass(frozen=True, slots=True)
class Row:
    """One parameter as a report shows it."""

    name: str
    kind: str
    parameter: Parameter
    required: bool
    present: bool

    @property
    def sensitive(self) -> bool:
        """Whether nobody may see its value."""
        return is_secret(self.parameter)


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """Every server that was visited, and files that could not be read."""

    visited: tuple[Visited, ...]
    unreadable: tuple[str, ...] = field(default=())

    @property
    def exit_code(self) -> int:
        """2 when something could not be looked at, else 1 when a server is not well, else 0."""
        if self.unreadable or not all(one.looked for one in self.visited):
            return 2
        return int(not all(one.is_well for one in self.visited))

    @property
    def closing(self) -> str:
        """The sum of it, in a sentence."""
        count, ill = len(self.visited), sum(not one.is_well for one in self.visited)
        if not ill:
            return "The server is well." if count == 1 else f"All {count} servers are well."
        verb = "needs" if ill == 1 else "need"
        return f"{ill} of {count} server{'s' if count != 1 else ''} {verb} attention."
