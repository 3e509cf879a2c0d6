"""Servers from npm and PyPI, as people run them: installed on first use, so only where AVOW_REAL is set."""

import os
import shutil

import pytest

from avow.core.snapshot import Era
from avow.core.target import StdioTarget
from avow.system.connect import ConnectOptions, observe

OPTIONS = ConnectOptions(timeout=120.0)

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif("AVOW_REAL" not in os.environ, reason="AVOW_REAL is not set"),
]


@pytest.mark.skipif(shutil.which("npx") is None, reason="npx is not installed")
def test_a_server_that_changes_its_list_by_itself_always_shows_the_same() -> None:
    """`server-everything` adds tools after the handshake, depending on what the client declares."""
    target = StdioTarget("npx", ("-y", "@modelcontextprotocol/server-everything@2026.8.31"))

    observations = [observe(target, OPTIONS, thorough=False) for _ in range(3)]

    digests = {observation.first.signature.digest for observation in observations}
    assert len(digests) == 1
    assert len(observations[0].first.signature.tools) == 17


@pytest.mark.skipif(shutil.which("uvx") is None, reason="uvx is not installed")
@pytest.mark.parametrize(("sdk", "era"), [("mcp<2", Era.LEGACY), ("mcp>=2", Era.MODERN)])
def test_a_python_server_is_met_in_the_era_of_its_sdk(sdk: str, era: Era) -> None:
    target = StdioTarget("uvx", ("--with", sdk, "mcp-server-time"))

    observation = observe(target, OPTIONS, thorough=False)

    assert observation.first.era is era
    assert sorted(observation.first.signature.tools) == ["convert_time", "get_current_time"]
