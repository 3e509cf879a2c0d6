"""What is wrong with the variants of a tool, for its author and for whoever decides to trust them."""

from avow.core.canonical import JsonObject
from avow.core.schema.document import Budget
from avow.core.variants.problem import VariantProblem


def problems(definition: JsonObject, budget: Budget | None = None) -> tuple[VariantProblem, ...]:
    """Everything that is wrong with a tool's variants, in their order.

    `budget` is shared by many tools: when it is used up, variants that no call meets are not found any more.
    """
    raise NotImplementedError
