"""A variant of a tool: what the tool promises and needs when its arguments fit a pattern.

On the wire it is one entry of a tool's `resolvedVariants`: `when.argumentPatterns`, `annotations` and
`requiredScopes`. Everything here is the server's own claim.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from avow.core.canonical import JsonObject, JsonValue, canonical
from avow.errors import DeclarationError, MalformedInputError

MEMBER: Final = "resolvedVariants"
"""The member of a tool's definition that holds its variants."""

SCOPES: Final = "requiredScopes"
"""The member that holds the scopes that a call needs."""

MAX_VARIANTS: Final = 64
MAX_PATTERNS: Final = 256
"""How many argument patterns the variants of one tool may have together."""
MAX_REGEXES: Final = 64
"""How many regular expressions: some take a while to compile."""
MAX_BYTES: Final = 65_536
MAX_SCOPES: Final = 64

_HINTS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_PATTERNS: Final = "argumentPatterns"
# RFC 6749, section 3.3.
_SCOPE: Final = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]{1,256}")


@dataclass(frozen=True, slots=True)
class Variant:
    """What applies to calls whose arguments fit every pattern of `when`.

    `required_scopes` is `None` where the variant says nothing about scopes, and empty where it says that
    a call needs none.
    """

    when: Mapping[str, JsonValue] = field(default_factory=dict, hash=False)
    annotations: JsonObject = field(default_factory=dict, hash=False)
    required_scopes: tuple[str, ...] | None = None

    @classmethod
    def read(cls, value: JsonValue) -> "Variant":
        """Take one entry of `resolvedVariants` as it came.

        Raises:
            DeclarationError: it is not what the specification says it is, or has a condition that nobody
                here understands: whether it applies could not be told.
        """
        if not isinstance(value, dict):
            raise DeclarationError("is not an object")
        when = value.get("when")
        if not isinstance(when, dict):
            raise DeclarationError("has no 'when'")
        if when.keys() - {_PATTERNS}:
            raise DeclarationError("has a condition in 'when' beside 'argumentPatterns'")
        patterns = when.get(_PATTERNS, {})
        if not isinstance(patterns, dict):
            raise DeclarationError("has 'argumentPatterns' that are not an object")
        return cls(patterns, _annotations(value.get("annotations", {})), read_scopes(value.get(SCOPES)))

    @property
    def document(self) -> JsonObject:
        """The variant as it goes over the wire."""
        document: JsonObject = {"when": {_PATTERNS: dict(self.when)} if self.when else {}}
        if self.annotations:
            document["annotations"] = dict(self.annotations)
        if self.required_scopes is not None:
            document[SCOPES] = list(self.required_scopes)
        return document


def read_variants(definition: JsonObject) -> tuple[Variant, ...]:
    """The variants of a tool, first match first; none where it declares none.

    Raises:
        DeclarationError: one of them cannot be read, or they are too many or too large.
    """
    declared = definition.get(MEMBER)
    if declared is None:
        return ()
    if not isinstance(declared, list):
        raise DeclarationError(f"{MEMBER} is not a list")
    if len(declared) > MAX_VARIANTS:
        raise DeclarationError(f"there are more than {MAX_VARIANTS} variants")
    _refuse_large(declared)
    found = tuple(_numbered(number, value) for number, value in enumerate(declared, start=1))
    if sum(len(variant.when) for variant in found) > MAX_PATTERNS:
        raise DeclarationError(f"the variants have more than {MAX_PATTERNS} argument patterns together")
    if sum(regexes(pattern) for variant in found for pattern in variant.when.values()) > MAX_REGEXES:
        raise DeclarationError(f"the variants have more than {MAX_REGEXES} regular expressions together")
    return found


def with_variants(definition: JsonObject, variants: Iterable[Variant]) -> JsonObject:
    """The tool with these variants instead of its own."""
    return {**definition, MEMBER: [variant.document for variant in variants]}


def read_scopes(value: JsonValue) -> tuple[str, ...] | None:
    """The scopes that a tool or a variant says it needs.

    Raises:
        DeclarationError: it is not a list of scopes as OAuth writes them (RFC 6749, section 3.3).
    """
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(scope, str) for scope in value):
        raise DeclarationError(f"has {SCOPES} that are not a list of texts")
    if len(value) > MAX_SCOPES or not all(map(_SCOPE.fullmatch, value)):
        raise DeclarationError(f"has {SCOPES} that OAuth does not know, or more than {MAX_SCOPES}")
    return tuple(value)


def _annotations(value: JsonValue) -> JsonObject:
    if not isinstance(value, dict):
        raise DeclarationError("has annotations that are not an object")
    for hint in _HINTS:
        if not isinstance(value.get(hint, False), bool):
            raise DeclarationError(f"has a {hint} that is not true or false")
    return value


def _refuse_large(declared: list[JsonValue]) -> None:
    try:
        size = len(canonical(declared))
    except MalformedInputError as exc:
        raise DeclarationError(f"{MEMBER} cannot be read: {exc.message}") from exc
    if size > MAX_BYTES:
        raise DeclarationError(f"the variants are larger than {MAX_BYTES} bytes")


def _numbered(number: int, value: JsonValue) -> Variant:
    try:
        return Variant.read(value)
    except DeclarationError as exc:
        raise DeclarationError(f"variant {number} {exc.message}") from exc


def regexes(pattern: JsonValue) -> int:
    """How many members, anywhere inside, may be regular expressions."""
    count = 0
    waiting = [pattern]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            inner = value.get("patternProperties")
            count += ("pattern" in value) + (len(inner) if isinstance(inner, dict) else 0)
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return count
