"""What is wrong with the variants of a tool, for its author and for whoever decides to trust them."""

from collections.abc import Iterator
from typing import Final

from avow.core.canonical import JsonObject, canonical
from avow.core.drift.annotations import annotation_changes
from avow.core.drift.model import Effect
from avow.core.printable import printable
from avow.core.schema.document import STEPS, Budget, TooLargeError
from avow.core.severity import Severity
from avow.core.variants.domain import Domain
from avow.core.variants.model import SCOPES, Variant, read_scopes, read_variants, regexes
from avow.core.variants.patterns import Literal, Pattern
from avow.core.variants.problem import Trouble, VariantProblem
from avow.core.variants.reach import unreachable
from avow.core.variants.selecting import Patterns, read_patterns, resolved
from avow.errors import DeclarationError

# Some regular expressions take as long to compile as many steps of a comparison.
_COMPILING: Final = 500


def problems(definition: JsonObject, budget: Budget | None = None) -> tuple[VariantProblem, ...]:
    """Everything that is wrong with a tool's variants, in their order.

    `budget` is shared by many tools: when it is used up, variants that no call meets are not found any more.
    """
    whole = budget or Budget()
    own = Budget(min(STEPS, whole.left))
    granted = own.left
    try:
        return tuple(sorted(_problems(definition, own), key=lambda problem: problem.number))
    finally:
        whole.left -= granted - max(own.left, 0)


def _problems(definition: JsonObject, budget: Budget) -> Iterator[VariantProblem]:
    try:
        read_scopes(definition.get(SCOPES))
        variants = read_variants(definition)
    except DeclarationError as exc:
        where = "the tool " if exc.message.startswith("has ") else ""
        yield VariantProblem(Trouble.MALFORMED, 0, where + exc.message)
        return
    if not variants:
        return
    try:
        domain = Domain(definition, budget)
    except DeclarationError as exc:
        yield VariantProblem(Trouble.MALFORMED, 0, f"no variant ever applies: {exc.message}")
        return
    compiled: list[Patterns] = []
    for number, variant in enumerate(variants, start=1):
        try:
            budget.step(count=_COMPILING * sum(map(regexes, variant.when.values())))
            compiled.append(read_patterns(variant))
        except DeclarationError as exc:
            yield VariantProblem(Trouble.PATTERN, number, f"has a bad pattern: {exc.message}")
        except TooLargeError:
            yield VariantProblem(Trouble.PATTERN, number, "has patterns that take too long to check")
    if len(compiled) < len(variants):
        # Which of the others apply cannot be said: the first that fits does.
        return
    for number, (variant, patterns) in enumerate(zip(variants, compiled, strict=True), start=1):
        yield from _promises(definition, domain, number, variant, patterns)
    # Last, since it takes the longest and matters least.
    for position, reason in unreachable(domain, compiled).items():
        yield VariantProblem(Trouble.UNREACHABLE, position + 1, reason)


def _promises(
    definition: JsonObject, domain: Domain, number: int, variant: Variant, patterns: Patterns
) -> Iterator[VariantProblem]:
    for name in patterns:
        if name not in domain.names:
            text = f"has a pattern for '{_shown(name)}', which is no argument of the tool"
            yield VariantProblem(Trouble.PATTERN, number, text)
    before, after = definition.get("annotations"), resolved(definition, variant).get("annotations")
    changes = [change for change in annotation_changes(before, after) if change.effect is Effect.PROMISE]
    less = [_hint(change.path) for change in changes if change.severity is Severity.CRITICAL]
    if less:
        text = f"promises less than the tool itself, which must be the worst case ({', '.join(less)})"
        yield VariantProblem(Trouble.EXCEEDS, number, text)
    more = [_hint(change.path) for change in changes if change.severity is Severity.SAFE]
    if more and not any(_selects(domain, name, pattern) for name, pattern in patterns.items()):
        text = (
            f"promises more than the tool itself ({', '.join(more)}), but nothing shows that a call can be "
            "outside of its patterns; give an argument an example that does not fit"
        )
        yield VariantProblem(Trouble.UNSELECTIVE, number, text)


def _selects(domain: Domain, name: str, pattern: Pattern) -> bool:
    """Whether there is a value that the tool accepts and the pattern does not fit.

    That an argument is there at all says nothing about what a call does, unless it has to be one value.
    """
    if name not in domain.names:
        return False
    if isinstance(pattern, Literal) and domain.may_be_absent(name):
        return True
    return any(
        not pattern.fits(value, canonical(value)) and domain.accepts(name, value)
        for value in domain.candidates(name)
    )


def _hint(path: str) -> str:
    return path.removeprefix("/annotations/")


def _shown(name: str) -> str:
    return printable(name, 60, fold=True)
