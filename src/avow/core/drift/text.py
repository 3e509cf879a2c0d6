"""How much a text changed: a small edit, or more than that. Linear in the length of the texts."""

import re
from collections import Counter
from itertools import pairwise
from typing import Final

from avow.core.severity import Severity

_WORD: Final = re.compile(r"\w+")
_ADDRESS: Final = re.compile(r"https?://[^\s)>\"'`]+")
_FEW: Final = 10
_SCATTERED: Final = 4
# A few letters that can turn a sentence round.
_TURNING: Final = frozenset(
    {"always", "can", "cannot", "don", "except", "instead", "must", "never", "no", "nor", "not", "only"}
    | {"required", "should", "unless", "without"}
)


def rate_text(before: str, after: str) -> tuple[Severity, str]:
    """A severity, and a reason when a small edit weighs more than its size."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    if not _is_small(old, new):
        return Severity.MODERATE, ""
    if addresses := sorted(set(_ADDRESS.findall(after)) - set(_ADDRESS.findall(before))):
        return Severity.MODERATE, f"names another address, {addresses[0]}" if before else ""
    turned = sorted(_counted(old).keys() & _TURNING ^ _counted(new).keys() & _TURNING)
    if before and after and turned:
        return Severity.MODERATE, f"turns on the word '{turned[0]}'"
    return Severity.SAFE, ""


def is_longer(before: str, after: str) -> bool:
    """Whether all the old words are still there, with more in one place among them."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    return bool(old) and len(old) == _shared(old, new) < len(new)


def _shared(old: list[str], new: list[str]) -> int:
    """How many words the two have in common at their start and their end."""
    start = end = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return start + end


def _is_small(old: list[str], new: list[str]) -> bool:
    """Whether a few words differ: in one place, or scattered."""
    if max(len(old), len(new)) - _shared(old, new) <= _FEW:
        return True
    if abs(len(old) - len(new)) > _SCATTERED:
        return False
    # Pairs of neighbours see a change of order, which counting words would not. A word that changes in
    # the middle of others changes two pairs, on both sides.
    pairs, others = Counter(pairwise(old)), Counter(pairwise(new))
    return (pairs - others).total() + (others - pairs).total() <= 4 * _SCATTERED


def _counted(words: list[str]) -> Counter[str]:
    return Counter(word.casefold() for word in words)
