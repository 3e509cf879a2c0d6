"""The OpenAPI document: schemathesis makes requests of it, and looks for answers it does not allow."""

import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from registry_running import DELETE, NAME, READ, envelope, program

pytest.importorskip("schemathesis")


def test_schemathesis_finds_no_fault(tmp_path: Path) -> None:
    """With an administrator's token, so that everything is reached; only that token itself is spared."""
    with program(tmp_path, "--quiet") as registry:
        headers = {"authorization": f"Bearer {registry.token}", "content-type": "application/json"}
        for version, tools in (("1.0.0", [READ]), ("1.1.0", [READ, DELETE])):
            data = envelope(version, *tools)
            httpx.post(f"{registry.url}/api/v1/publish", content=data, headers=headers).raise_for_status()
        decision = {"name": NAME, "version": "1.0.0", "environment": "production", "state": "approved"}
        sent = httpx.post(
            f"{registry.url}/api/v1/approvals", json={**decision, "reason": "x"}, headers=headers
        )
        sent.raise_for_status()
        arguments = ["--exclude-path-regex", "tokens/", "--max-examples", "2", "--seed", "7", "--no-color"]
        found = subprocess.run(
            [
                Path(sys.executable).with_name("st"),
                "run",
                f"{registry.url}/api/v1/openapi.json",
                "-H",
                f"Authorization: {headers['authorization']}",
                "--phases=coverage,fuzzing",
                *arguments,
            ],
            capture_output=True,
            text=True,
            timeout=240,
            cwd=tmp_path,
        )

    assert found.returncode == 0, found.stdout[-5000:]
    assert "mistake" not in (tmp_path / "log").read_text()
