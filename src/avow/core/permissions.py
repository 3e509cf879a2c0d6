"""What a server may come to need and do, known before any call: scopes, annotations and risks.

A host shows it, asks for all scopes at once, or holds it against a policy. All of it but the risks, which
are rated on the evidence of the whole definition, is the claim of the server.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from avow.core.canonical import JsonObject, JsonValue
from avow.core.capability import Capability, Kind, Signature
from avow.core.risk import Risk, assess
from avow.core.schema.document import Budget
from avow.core.variants import Trouble, Variant, VariantProblem, problems, read_variants
from avow.core.variants.model import SCOPES, read_scopes
from avow.core.variants.selecting import resolved
from avow.errors import DeclarationError

_STEPS: Final = 300_000


@dataclass(frozen=True, slots=True)
class VariantPermissions:
    """One variant of a tool: when it applies, and the annotations, scopes and risk of a call then.

    The risk is never lower than that of the tool, since the server wrote the variant itself.
    """

    when: Mapping[str, JsonValue] = field(hash=False)
    annotations: JsonObject = field(hash=False)
    required_scopes: frozenset[str]
    risk: Risk


@dataclass(frozen=True, slots=True)
class ToolPermissions:
    """One tool at its worst, and its variants in the order in which they apply."""

    name: str
    annotations: JsonObject = field(hash=False)
    required_scopes: frozenset[str]
    risk: Risk
    variants: tuple[VariantPermissions, ...] = ()
    problems: tuple[VariantProblem, ...] = ()

    @property
    def scopes(self) -> frozenset[str]:
        """Every scope that any call of the tool may need."""
        return self.required_scopes.union(*(variant.required_scopes for variant in self.variants))

    @property
    def highest_risk(self) -> Risk:
        """The risk of the worst call."""
        return max((self.risk, *(one.risk for one in self.variants)), key=lambda risk: risk.level.rank)


@dataclass(frozen=True, slots=True)
class Permissions:
    """Everything that a server could ever ask for, as far as it said.

    Of the kinds in `open` more may appear than anybody listed.
    """

    tools: Mapping[str, ToolPermissions] = field(hash=False)
    risks: Mapping[tuple[Kind, str], Risk] = field(hash=False)
    open: frozenset[Kind] = frozenset()

    @property
    def scopes(self) -> frozenset[str]:
        """Every scope that any call may need."""
        return frozenset[str]().union(*(tool.scopes for tool in self.tools.values()))

    @property
    def is_complete(self) -> bool:
        """Whether nothing can come that is not here: no kind is open, and every variant could be read."""
        return not self.open and not any(
            problem.trouble is Trouble.MALFORMED for tool in self.tools.values() for problem in tool.problems
        )


def permissions(signature: Signature, *, open_kinds: Iterable[Kind] = ()) -> Permissions:
    """Gather what a signature says about every call that could ever be made."""
    budget = Budget(_STEPS)
    risks = {(capability.kind, capability.name): assess(capability) for capability in signature}
    tools = {
        name: _tool(capability, risks[Kind.TOOL, name], budget)
        for name, capability in signature.tools.items()
    }
    return Permissions(tools, risks, frozenset(open_kinds))


def _tool(tool: Capability, risk: Risk, budget: Budget) -> ToolPermissions:
    definition = tool.definition
    found = problems(definition, budget)
    try:
        scopes = frozenset(read_scopes(definition.get(SCOPES)) or ())
        variants = read_variants(definition)
    except DeclarationError:
        # The problems say so; what could be read of it would look like the whole.
        scopes, variants = frozenset(), ()
    return ToolPermissions(
        tool.name,
        _annotations(definition),
        scopes,
        risk,
        tuple(_variant(tool, variant, risk) for variant in variants),
        found,
    )


def _variant(tool: Capability, variant: Variant, least: Risk) -> VariantPermissions:
    definition = resolved(tool.definition, variant)
    own = assess(Capability.read(Kind.TOOL, definition))
    risk = own if own.level.rank > least.level.rank else least
    scopes = frozenset(variant.required_scopes or ())
    return VariantPermissions(variant.when, _annotations(definition), scopes, risk)


def _annotations(definition: JsonObject) -> JsonObject:
    annotations = definition.get("annotations")
    return annotations if isinstance(annotations, dict) else {}
