"""JSON for files that people review: indented, sorted, and nothing in it that a reader cannot see."""

import json
import re
from functools import cache
from typing import Final

import msgspec

from avow.core.canonical import JsonValue

# Characters that a diff shows as nothing, as a space, or in another order than they are in: controls,
# spaces of other kinds, joiners, direction marks, fillers, variation selectors, tags, private use.
# A fixed list, since Unicode's own tables differ between Python releases and the file must not.
_UNSEEN: Final = (
    "[\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680\u17b4\u17b5"
    "\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ue000-\uf8ff\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff0-\uffff\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)


def readable_json(value: JsonValue) -> bytes:
    """The value as UTF-8 text with sorted keys, two spaces of indentation and one newline at the end.

    Text in any script stays as it is; characters that would not show are written as `\\uXXXX`.
    """
    # The standard library sorts and escapes; its own indentation is written in Python and ten times slower.
    compact = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    visible = _unseen().sub(_escaped, compact)
    return msgspec.json.format(visible.encode(), indent=2) + b"\n"


@cache
def _unseen() -> re.Pattern[str]:
    """Compiled when something is written: whoever reads a lockfile has no use for it."""
    return re.compile(_UNSEEN)


def _escaped(found: re.Match[str]) -> str:
    units = found.group().encode("utf-16-be")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))
