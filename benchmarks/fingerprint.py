"""Fingerprints of a 1 MB tools list: Avow against the package rfc8785 plus hashlib, same digests."""

import hashlib
import sys
import time
import timeit

import rfc8785
from sample_tools import bytes_of_a_server

from avow.core.canonical import Digest, JsonObject, canonical, parse_json
from avow.core.capability import Capability, Kind, Signature

NEEDED = 8.0
TOOLS = 640  # a megabyte
ROUNDS = 25


def ours(tools: list[JsonObject]) -> tuple[list[Digest], Digest]:
    """What a snapshot does with a list: a digest for each tool, and one for all of them."""
    capabilities = [Capability.read(Kind.TOOL, tool) for tool in tools]
    return [capability.digest for capability in capabilities], Signature.of(capabilities).digest


def theirs(tools: list[JsonObject]) -> tuple[list[str], str]:
    """The same, with the package that one would otherwise take."""
    digests = [_sha256(tool) for tool in tools]
    names = {tool["name"]: digest for tool, digest in zip(tools, digests, strict=True)}
    return digests, _sha256({"tools": names, "prompts": {}, "resources": {}, "resourceTemplates": {}})


def _sha256(value: JsonObject) -> str:
    return "sha256:" + hashlib.sha256(rfc8785.dumps(value)).hexdigest()


def milliseconds(tools: list[JsonObject]) -> tuple[float, float]:
    """The best of many runs of both, in turns and in processor time: other programs only ever add to it."""
    mine, other = [], []
    for _ in range(ROUNDS):
        mine += timeit.repeat(lambda: ours(tools), number=1, repeat=5, timer=time.process_time)
        other += timeit.repeat(lambda: theirs(tools), number=1, repeat=1, timer=time.process_time)
    return min(mine) * 1_000, min(other) * 1_000


def main() -> int:
    """Print a row for each list; the ordinary one has to reach the bar."""
    print(f"{'tools list':<30}{'tools':>7}{'bytes':>11}{'avow ms':>10}{'rfc8785 ms':>12}{'ratio':>8}")
    ratios = {}
    for title in ("ordinary", "with doubles, beyond ASCII"):
        tools = parse_json(bytes_of_a_server(TOOLS, ordinary=title == "ordinary"))
        if ours(tools) != theirs(tools):
            raise ValueError("the digests differ")
        mine, other = milliseconds(tools)
        ratios[title] = other / mine
        size = len(canonical(tools))
        print(f"{title:<30}{len(tools):>7}{size:>11,}{mine:>10.2f}{other:>12.2f}{ratios[title]:>8.1f}")
    print(f"needed: {NEEDED} for the ordinary list")
    return 0 if ratios["ordinary"] >= NEEDED else 1


if __name__ == "__main__":
    sys.exit(main())
