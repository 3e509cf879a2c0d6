"""What a visit by the doctor found, before any format gives it a shape."""

from dataclasses import dataclass, field

from avow.cli.output.needs import need_of
from avow.cli.output.report import Need
from avow.system.diagnosis.examining import Examined
from avow.system.diagnosis.model import Diagnosis, Status


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

    @property
    def needs(self) -> tuple[Need, ...]:
        """What the server can be told, what it lacks first."""
        return needs_of(self.examined)

    @property
    def instead(self) -> tuple[str, ...]:
        """The ways that do as well as those that are proposed, each in one line."""
        proposed = self.diagnosis.proposed
        ways = (way for group in self.diagnosis.groups for way in group.ways if not proposed.issuperset(way))
        return tuple(dict.fromkeys(" and ".join(way) for way in ways))

    @property
    def grouped(self) -> frozenset[str]:
        """The names that are part of some way."""
        return frozenset(key for group in self.diagnosis.groups for way in group.ways for key in way)

    @property
    def links(self) -> tuple[str, ...]:
        """Where to get what it lacks."""
        wanted = (one for one in self.diagnosis.required if one.key not in self.examined.present)
        return tuple(dict.fromkeys(one.help_url for one in wanted if one.help_url))


def needs_of(examined: Examined) -> tuple[Need, ...]:
    """Every parameter as reports show it: first what is required, and of that first what is missing."""
    required = {one.key for one in examined.diagnosis.required}
    found = [
        need_of(one, required=one.key in required, present=one.key in examined.present)
        for one in examined.diagnosis.parameters
    ]
    return tuple(sorted(found, key=lambda need: (not need.required, need.present)))


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
