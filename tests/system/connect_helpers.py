"""What the tests of connections share: targets for the sample servers, and short ways to look at them."""

import sys
from pathlib import Path
from typing import Any

from avow.core.snapshot import Snapshot
from avow.core.target import StdioTarget
from avow.system.connect import ConnectOptions, take_snapshot

SERVERS = Path(__file__).parent / "servers"


def sample(script: str, *arguments: str, env: tuple[str, ...] = ()) -> StdioTarget:
    """One of the sample servers, as a target."""
    return StdioTarget(sys.executable, (str(SERVERS / f"{script}.py"), *arguments), env)


def look(script: str, *arguments: str, **options: Any) -> Snapshot:
    """What one session with a sample server shows."""
    return take_snapshot(sample(script, *arguments), ConnectOptions(**{"timeout": 10.0, **options}))


def tools(snapshot: Snapshot) -> list[str]:
    """The names of the tools, in the server's order."""
    return list(snapshot.signature.tools)
