"""Which variant of a tool applies to a call, and the tool as it then is."""

from typing import Final

from avow.core.arguments import compile_checker
from avow.core.canonical import JsonObject, JsonValue, canonical
from avow.core.variants.model import MEMBER, SCOPES, Variant, read_variants
from avow.core.variants.patterns import Pattern, read_pattern
from avow.errors import DeclarationError, MalformedInputError

Patterns = dict[str, Pattern]

_ANNOTATIONS: Final = "annotations"


class Resolver:
    """The variants of one tool, ready to be matched with the arguments of many calls.

    Nothing that a server declares makes it fail: where a variant cannot be read or the input schema does
    not compile, no variant applies, and the tool's own annotations hold as they always do.
    """

    def __init__(self, definition: JsonObject) -> None:
        """Compile what the tool declares."""
        self._definition = definition
        self._variants: list[tuple[Variant, Patterns]] = []
        try:
            found = [(variant, read_patterns(variant)) for variant in read_variants(definition)]
            self._checker = compile_checker(definition.get("inputSchema") if found else {})
        except DeclarationError:
            return
        self._variants = found
        self._defaults = defaults(definition)

    def find(self, arguments: JsonValue) -> Variant | None:
        """The first variant that applies; none where the tool itself would refuse the arguments."""
        if arguments is None:
            arguments = {}
        try:
            if not self._variants or self._checker.check(arguments) is not None:
                return None
            known = {**self._defaults, **arguments}
            identities = {name: canonical(value) for name, value in known.items()}
        except MalformedInputError:
            return None
        for variant, patterns in self._variants:
            if fit(patterns, known, identities):
                return variant
        return None

    def select(self, arguments: JsonValue) -> JsonObject:
        """The tool as it is for a call with these arguments; unrefined where no variant applies."""
        variant = self.find(arguments)
        return self._definition if variant is None else resolved(self._definition, variant)


def select(definition: JsonObject, arguments: JsonValue) -> JsonObject:
    """The tool as it is for a call: with the first variant that applies, or unrefined."""
    return Resolver(definition).select(arguments)


def matches(variant: Variant, arguments: JsonObject) -> bool:
    """Whether arguments fit every pattern of a variant.

    Raises:
        MalformedInputError: a pattern is none, or the arguments are not JSON.
    """
    identities = {name: canonical(value) for name, value in arguments.items()}
    return fit(read_patterns(variant), arguments, identities)


def resolved(definition: JsonObject, variant: Variant) -> JsonObject:
    """The tool with the annotations of a variant over its own, and the scopes that the variant needs."""
    tool = {member: value for member, value in definition.items() if member not in (MEMBER, SCOPES)}
    own = definition.get(_ANNOTATIONS)
    merged = {**(own if isinstance(own, dict) else {}), **variant.annotations}
    if merged:
        tool[_ANNOTATIONS] = merged
    if variant.required_scopes is not None:
        tool[SCOPES] = list(variant.required_scopes)
    return tool


def read_patterns(variant: Variant) -> Patterns:
    """The compiled patterns of a variant. Raises as `read_pattern` does."""
    return {name: read_pattern(pattern) for name, pattern in variant.when.items()}


def fit(patterns: Patterns, known: JsonObject, identities: dict[str, bytes]) -> bool:
    """Whether every pattern has an argument that fits; `identities` are the canonical bytes of `known`."""
    return all(
        name in known and pattern.fits(known[name], identities[name]) for name, pattern in patterns.items()
    )


def defaults(definition: JsonObject) -> JsonObject:
    """What a tool says it takes an argument for that a call leaves out."""
    schema = definition.get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return {}
    return {
        name: inner["default"]
        for name, inner in properties.items()
        if isinstance(inner, dict) and "default" in inner
    }
