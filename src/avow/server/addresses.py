"""One resource, many spellings: what a URI could mean to whoever serves it.

Frameworks drop fragments and queries, take percent escapes out of what a template matched, and hand the rest
to an author's function, which may take it for a path. Whoever guards a resource has to think of all of that.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final
from urllib.parse import quote, unquote

LONGEST: Final = 8_192
"""Characters of a URI that anybody has a use for; what is longer is not worth reading."""
_ESCAPED: Final = 4
"""How often an escape may be escaped; each layer between client and function takes off one at most."""
_EXPRESSION: Final = re.compile(r"(\{[^{}]*\})")
_RESERVED: Final = "/:?#[]@!$&'()*+,;=~"


def readings(uri: str) -> frozenset[str]:
    """The URI as it came, and everything that somebody could take it for."""
    found = {uri}
    for text in _unescaped(uri):
        for part in {text, text.partition("#")[0], text.partition("?")[0]}:
            found |= {part, *_tidied(part)}
    found |= {quote(each, safe=_RESERVED) for each in found}
    return frozenset(found | {each.casefold() for each in found})


def spelled(uri: str) -> str:
    """The one reading that all spellings of a resource's own URI share."""
    *_, text = _unescaped(uri)
    return next(_tidied(text)).casefold()


def could_match(template: str, uris: Iterable[str], matches: Callable[[str, str], bool]) -> bool:
    """Whether a template might serve any of some readings, capitals or not."""
    spellings = {template, _folded(template)}
    return any(matches(each, uri) for uri in uris for each in spellings)


def _unescaped(uri: str) -> Iterator[str]:
    yield uri
    for _ in range(_ESCAPED):
        plain = unquote(uri)
        if plain == uri:
            return
        yield plain
        uri = plain


def _tidied(uri: str) -> Iterator[str]:
    """Without dots, doubled slashes and a slash at the end; a host may be the first step of a path."""
    before, separator, after = uri.replace("\\", "/").partition("://")
    scheme, steps = (before + separator, after.split("/")) if separator else ("", before.split("/"))
    for fixed in (1, 0):
        kept = steps[:fixed]
        for step in steps[fixed:]:
            if step.strip() == "..":
                del kept[max(fixed, len(kept) - 1) :]
            elif step.strip() not in ("", "."):
                kept.append(step.strip())
        yield scheme + "/".join(kept)


def _folded(template: str) -> str:
    """The template with small letters outside of its expressions."""
    parts = _EXPRESSION.split(template)
    return "".join(part if part.startswith("{") else part.casefold() for part in parts)
