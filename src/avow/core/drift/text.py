"""How much a text changed: a small edit, or more than that. Linear in the length of the texts."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from avow.core.severity import Severity

_Sentence: TypeAlias = tuple[str, ...]

# Chinese and Japanese do without spaces, and Korean with few: there each character counts.
_DENSE: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD: Final = re.compile(rf"[{_DENSE}]|(?:(?![{_DENSE}])\w)+")
_END: Final = re.compile(r"(?<!\be\.g)(?<!\bi\.e)[.!?](?=\s)|[。！？]|\n\s*")
# What an order needs beside a verb: somebody to send to, something to open, something to call.
_NAMED: Final = (
    ("another address", re.compile(r"https?://[^\s)>\"'`]+|[\w.+-]{1,64}@[\w-]{1,63}\.\w{1,63}")),
    ("a path", re.compile(r"(?<![\w<./:-])(?:~?/|\.{1,2}/|[A-Za-z]:\\|\.(?=[a-z]))\w[\w./\\-]{1,200}")),
    ("another tool or argument", re.compile(r"\b[A-Za-z]+(?:_[A-Za-z0-9]+)+\b")),
)
_FEW: Final = 10
_SCATTERED: Final = 4
# As many words make a sentence out of a label.
_STATEMENT: Final = 5
# More sentences than this, new against gone, are no small edit, whatever is left of them.
_PAIRS: Final = 400
# A few letters that can turn a sentence round.
_TURNING: Final = frozenset(
    {"always", "can", "cannot", "don", "except", "instead", "must", "never", "no", "nor", "not", "only"}
    | {"required", "should", "unless", "without"}
)
# Verbs that tell somebody to do something, rather than what a tool does.
_ORDERS: Final = frozenset(
    {"append", "attach", "call", "copy", "email", "execute", "forward", "ignore", "include", "insert"}
    | {"invoke", "mail", "pass", "paste", "post", "put", "reply", "reveal", "run", "send", "submit", "tell"}
    | {"upload"}
)
_BEFORE_ORDERS: Final = frozenset(
    {"also", "and", "finally", "first", "important", "next", "note", "now", "please", "then"}
)


def rate_text(before: str, after: str) -> tuple[Severity, str]:
    """A severity, and a reason when a small edit weighs more than its size."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    if not _is_small(old, new):
        return Severity.MODERATE, ""
    for what, pattern in _NAMED if len(new) > 1 else _NAMED[:1]:
        if found := sorted(set(pattern.findall(after)) - set(pattern.findall(before))):
            return Severity.MODERATE, f"names {what}, {found[0][:80]}" if before else ""
    turned = sorted(_counted(old).keys() & _TURNING ^ _counted(new).keys() & _TURNING)
    if before and after and turned:
        return Severity.MODERATE, f"turns on the word '{turned[0]}'"
    if _says_more(before, after):
        return Severity.MODERATE, ""
    return Severity.SAFE, ""


def is_longer(before: str, after: str) -> bool:
    """Whether all the old words are still there, with more in one place among them."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    return bool(old) and len(old) == _shared(old, new) < len(new)


def _says_more(before: str, after: str) -> bool:
    """Whether a sentence came in that is no edit of another one, or an order that was none."""
    old, new = _sentences(before), _sentences(after)
    gone = [_counted(sentence) for sentence in old if sentence not in new]
    fresh = [sentence for sentence in new if sentence not in old]
    # Beside other sentences two words say something; alone, or in the place of others, they are a label.
    least = 2 if old and not gone else _STATEMENT
    order = 2 if old else _STATEMENT - 1
    return len(fresh) * len(gone) > _PAIRS or any(_is_new(one, gone, least, order) for one in fresh)


def _is_new(sentence: _Sentence, gone: list[Counter[str]], least: int, order: int) -> bool:
    """Whether at least so many words are no edit of what is gone, or so many are an order that was none."""
    words = _counted(sentence)
    nearest = max(gone, key=lambda other: _common(words, other), default=Counter())
    common = _common(words, nearest)
    is_edit = 2 * common >= len(sentence) or common >= max(3, nearest.total() / 2)
    is_order = len(sentence) >= order and not _is_like(_order(sentence), nearest)
    return is_order or (len(sentence) >= least and not is_edit)


def _sentences(text: str) -> dict[_Sentence, None]:
    """The sentences by their words, in order."""
    parts = (tuple(word.casefold() for word in _WORD.findall(part)) for part in _END.split(text))
    return dict.fromkeys(part for part in parts if part)


def _common(one: Counter[str], other: Counter[str]) -> int:
    less, more = sorted((one, other), key=len)
    return sum(min(count, more[word]) for word, count in less.items())


def _order(sentence: _Sentence) -> str:
    """The verb that a sentence begins with, when that is an order."""
    first = next((word for word in sentence if word not in _BEFORE_ORDERS), "")
    return first if first in _ORDERS else ""


def _is_like(verb: str, sentence: Counter[str]) -> bool:
    """Whether a sentence had the verb in another form; without a verb there is nothing to miss."""
    return not verb or any(word.startswith(verb) for word in sentence)


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


def _counted(words: Sequence[str]) -> Counter[str]:
    return Counter(word.casefold() for word in words)
