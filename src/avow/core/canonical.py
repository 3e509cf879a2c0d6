"""Strict JSON in, canonical bytes and digests out: what every identity in Avow rests on.

RFC 8785 (JCS) with one addition: an integer outside ±(2^53-1) keeps its exact digits, so that
different numbers never share a digest.
"""

import hashlib
import json
from typing import Any, NewType, TypeAlias

from avow.errors import MalformedInputError

JsonValue: TypeAlias = Any
JsonObject: TypeAlias = dict[str, Any]

Digest = NewType("Digest", str)


def parse_json(data: bytes | str) -> JsonValue:
    """Read one JSON document, refusing everything that two readers could understand differently.

    Raises:
        MalformedInputError: not JSON, a duplicate key, invalid UTF-8, a lone surrogate, `NaN`,
            `Infinity`, a number beyond a double's range, or nesting too deep to be meant well.
    """
    raise NotImplementedError


def canonical(value: JsonValue) -> bytes:
    """The canonical bytes of a JSON value: equal values, and only they, give equal bytes."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def digest_of(data: bytes) -> Digest:
    """`sha256:` and 64 lowercase hexadecimal digits."""
    return Digest("sha256:" + hashlib.sha256(data).hexdigest())


def digest(value: JsonValue) -> Digest:
    """The digest of a JSON value: over its canonical bytes."""
    return digest_of(canonical(value))
