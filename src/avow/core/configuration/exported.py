"""What another format can hold of a configuration, and what it cannot: found by reading it back."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

from avow.core.canonical import JsonObject
from avow.core.configuration.model import Binding, Configuration, Parameter, Where

GROUPS = "groups"
"""The key of a loss that concerns the groups, not one parameter."""


@dataclass(frozen=True, slots=True)
class Lost:
    """One thing that a format does not say: of which parameter, which field, and what stands there instead.

    Without a field the parameter is gone altogether. `binding.` begins the name of a field of the binding.
    """

    key: str
    field: str = ""
    instead: object = None

    def __str__(self) -> str:
        """In words, as in a list of what to look after by hand."""
        if not self.field:
            return f"{self.key} is no parameter there"
        if self.instead in (None, "", (), False):
            return f"{self.key}: {self.field} is left out"
        return f"{self.key}: {self.field} becomes {self.instead}"


@dataclass(frozen=True, slots=True)
class Exported:
    """A document in another format, and everything that it does not say."""

    document: JsonObject
    lost: tuple[Lost, ...] = ()

    @property
    def told(self) -> tuple[str, ...]:
        """The losses in words."""
        return tuple(map(str, self.lost))


def losses(before: Configuration, after: Configuration, *, by_key: bool = True) -> tuple[Lost, ...]:
    """What `after`, which was read from the document that `before` was written to, no longer says.

    Some formats know parameters by key; for others it is the place that their values go to that counts.

    Where a parameter was found is not part of what it says, and of the order only which argument comes
    before which.
    """
    return tuple(_losses(before, after, by_key=by_key))


def ranked(configuration: Configuration) -> Configuration:
    """The same with arguments counted from 0, those for the runtime apart, and nothing else counted."""
    bindings = (binding for one in configuration for binding in (one.binding, *one.also))
    arguments = sorted((one for one in bindings if one.where is Where.ARGUMENT), key=lambda one: one.order)
    ranks: dict[Binding, int] = {}
    for runtime in (False, True):
        # Those that fill one template together stand in one place.
        places = dict.fromkeys(replace(one, part="") for one in arguments if one.runtime is runtime)
        ranks |= {place: rank for rank, place in enumerate(places)}

    def counted(binding: Binding) -> Binding:
        return replace(binding, order=ranks.get(replace(binding, part=""), 0))

    return Configuration.of(
        (
            replace(one, binding=counted(one.binding), also=tuple(map(counted, one.also)))
            for one in configuration
        ),
        configuration.groups,
    )


def _losses(before: Configuration, after: Configuration, *, by_key: bool) -> Iterator[Lost]:
    found = _counterparts(before, ranked(after), by_key=by_key)
    yield from (Lost(key) for key in before.parameters if key not in found)
    # What is left out leaves no gap in the order of the others.
    for parameter in ranked(Configuration.of(one for one in before if one.key in found)):
        yield from _fields(parameter, found[parameter.key])
    if before.groups != after.groups:
        yield Lost(GROUPS, GROUPS, after.groups)


def _counterparts(before: Configuration, after: Configuration, *, by_key: bool) -> dict[str, Parameter]:
    """What became of each parameter."""
    rest = dict(after.parameters)
    found: dict[str, Parameter] = {}
    places = (_is_bound_alike, _goes_to_the_same)
    tests = (_has_the_key, *places) if by_key else (*places, _has_the_key)
    for is_like in (_is_the_same, *tests, _is_left_over):
        for parameter in before:
            if parameter.key not in found:
                key = next((key for key, other in rest.items() if is_like(parameter, other)), None)
                if key is not None:
                    found[parameter.key] = rest.pop(key)
    return found


def _is_the_same(one: Parameter, other: Parameter) -> bool:
    return _has_the_key(one, other) and _is_bound_alike(one, other)


def _is_bound_alike(one: Parameter, other: Parameter) -> bool:
    mine, its = one.binding, other.binding
    return (mine.where, mine.name, mine.part) == (its.where, its.name, its.part)


def _goes_to_the_same(one: Parameter, other: Parameter) -> bool:
    return (one.binding.where, one.binding.name) == (other.binding.where, other.binding.name)


def _is_left_over(_one: Parameter, _other: Parameter) -> bool:
    """Nothing that is read back was invented: what fits nothing else became something else."""
    return True


def _has_the_key(one: Parameter, other: Parameter) -> bool:
    return one.key == other.key


def _fields(before: Parameter, after: Parameter) -> Iterator[Lost]:
    for field in fields(Parameter):
        old, new = getattr(before, field.name), getattr(after, field.name)
        if field.name == "binding":
            yield from _binding(before.key, before.binding, after.binding)
        elif field.name != "source" and not _same(old, new):
            yield Lost(before.key, field.name, new)


def _binding(key: str, before: Binding, after: Binding) -> Iterator[Lost]:
    for field in fields(Binding):
        new = getattr(after, field.name)
        if getattr(before, field.name) != new:
            yield Lost(key, f"binding.{field.name}", new)


def _same(before: object, after: object) -> bool:
    """Whether two values are the same in JSON too, where true is not 1."""
    if isinstance(before, tuple) and isinstance(after, tuple):
        return len(before) == len(after) and all(map(_same, before, after))
    return before == after and isinstance(before, bool) == isinstance(after, bool)
