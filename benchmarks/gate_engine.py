"""What the gate itself costs, without any stream: `python benchmarks/gate_engine.py` prints microseconds.

Each figure is the best of several runs, in processor time, so that a busy machine disturbs it little.
"""

import json
import time
from collections.abc import Callable
from typing import Any

from avow.core.capability import Capability, Kind, Signature
from avow.core.contract import Contract, ContractSource
from avow.protocol.gate import Gate, GatePolicy

SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string", "description": "x" * 100}, "count": {"type": "integer"}},
    "required": ["text"],
}
TOOLS = [{"name": f"tool{n}", "description": "words " * 70, "inputSchema": SCHEMA} for n in range(40)]


def line(**members: Any) -> bytes:
    """A message as the SDKs write it."""
    return json.dumps({"jsonrpc": "2.0", **members}, separators=(",", ":")).encode()


def best(action: Callable[[int], object], times: int, runs: int = 7) -> float:
    """Microseconds of one action, in the quickest of several runs."""
    found = []
    for run in range(runs):
        start = time.process_time()
        for number in range(times):
            action(run * times + number + 1000)
        found.append((time.process_time() - start) / times * 1e6)
    return min(found)


def session() -> Gate:
    """A gate that has compared the server's list."""
    contract = Contract.from_signature(
        Signature.of(Capability.read(Kind.TOOL, tool) for tool in TOOLS), ContractSource.LOCK
    )
    gate = Gate(contract, GatePolicy(), "demo")
    version = {"protocolVersion": "2025-11-25", "capabilities": {}}
    gate.from_client(line(id=0, method="initialize", params=version))
    gate.from_server(line(id=0, result={**version, "serverInfo": {"name": "demo", "version": "1"}}))
    gate.from_client(line(method="notifications/initialized"))
    gate.from_client(line(id=1, method="tools/list"))
    gate.from_server(line(id=1, result={"tools": TOOLS}))
    return gate


def main() -> None:
    """Print one figure per line."""
    gate = session()
    arguments = {"name": "tool1", "arguments": {"text": "hello world", "count": 3}}
    requests = [line(id=n, method="tools/call", params=arguments) for n in range(200_000)]
    answers = [line(id=n, result={"content": [{"type": "text", "text": "hello"}]}) for n in range(200_000)]
    news = line(method="notifications/progress", params={"progressToken": 1, "progress": 5})
    listing = line(id=1, method="tools/list")
    page = line(id=1, result={"tools": TOOLS})
    large = line(id=1, result={"content": [{"type": "text", "text": "hello world " * 87_000}]})
    call = line(id=1, method="tools/call", params=arguments)

    def round_trip(number: int) -> None:
        gate.from_client(requests[number])
        gate.from_server(answers[number])

    def list_again(_: int) -> None:
        gate.from_client(listing)
        gate.from_server(page)

    def large_answer(_: int) -> None:
        gate.from_client(call)
        gate.from_server(large)

    figures = {
        "tools/call, arguments checked, and its answer": best(round_trip, 20_000),
        "a notification": best(lambda _: gate.from_server(news), 20_000),
        f"a list of {len(page):,} bytes seen before": best(list_again, 1_000),
        f"an answer of {len(large):,} bytes": best(large_answer, 50),
    }
    for what, microseconds in figures.items():
        print(f"{what:<50}{microseconds:8.1f}")


if __name__ == "__main__":
    main()
