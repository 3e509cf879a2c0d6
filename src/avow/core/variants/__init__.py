"""Resolved variants: one tool that promises and needs different things for different arguments.

`select` gives the tool as it is for one call; `problems` says what is wrong with what a server declares.
"""

from avow.core.variants.checking import problems
from avow.core.variants.model import Variant, read_variants, with_variants
from avow.core.variants.problem import Trouble, VariantProblem
from avow.core.variants.selecting import Resolver, matches, select

__all__ = [
    "Resolver",
    "Trouble",
    "Variant",
    "VariantProblem",
    "matches",
    "problems",
    "read_variants",
    "select",
    "with_variants",
]
