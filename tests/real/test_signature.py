"""Clients in another language read the signature: published TypeScript SDKs, which know nothing of Avow."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from avow.core.capability import Capability, Kind, Signature
from real.packages import Packages

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(os.environ.get("AVOW_REAL") != "1", reason="AVOW_REAL is not 1"),
]

EXAMPLE = Path(__file__).parents[2] / "examples" / "admin_dashboard.py"
CLIENTS = {
    "sdk 1": ("1", "legacy", "handshake"),
    "client 2, handshake": ("2", "legacy", "2025-11-25"),
    "client 2, stateless": ("2", "auto", "2026-07-28"),
}


@pytest.fixture(scope="module", params=CLIENTS)
def read(request: pytest.FixtureRequest, packages: Packages, node_clients: Path) -> Any:
    """What one of the clients got from the example server."""
    generation, mode, version = CLIENTS[request.param]
    script = [str(packages.node), str(node_clients / "signature.mjs")]
    environment = {name: value for name, value in os.environ.items() if name != "DASHBOARD_ADMIN"}
    done = subprocess.run(
        [*script, generation, mode, sys.executable, str(EXAMPLE)],
        capture_output=True,
        timeout=60,
        env=environment,
    )
    assert done.returncode == 0, done.stderr.decode()
    got = json.loads(done.stdout)
    assert got["version"] == version
    return got


def test_a_typescript_client_reads_the_signature_over_the_wire(read: Any) -> None:
    """Everything the server could do, although most of it is not listed for this client."""
    signature = read["signature"]

    assert [tool["name"] for tool in signature["tools"]] == ["report", "admin_dashboard", "manage_accounts"]
    assert read["listed"] == ["report"]
    assert signature["complete"] is True
    assert read["again"]["digest"] == signature["digest"]
    assert read["again"]["unchanged"] is True
    capabilities = [Capability.read(kind, item) for kind in Kind for item in signature[kind.collection]]
    assert Signature.of(capabilities).digest == signature["digest"]


def test_it_finds_the_digest_where_its_sdk_keeps_it(read: Any) -> None:
    """SDKs drop members of the capabilities that they do not know; extensions they keep."""
    capabilities = read["capabilities"]
    extension = capabilities.get("extensions", {}).get("dev.avow/signature")

    announced = [place for place in (capabilities.get("signature"), extension) if place]
    if read["version"] == "2026-07-28":
        assert announced
    assert all(place == {"digest": read["signature"]["digest"]} for place in announced)


def test_it_resolves_a_call_to_its_variant(read: Any) -> None:
    tool = read["resolved"]["tool"]

    assert tool["annotations"]["readOnlyHint"] is True
    assert tool["requiredScopes"] == ["accounts:read"]
