"""What a child process inherits, and what is put into its command line."""

import pytest

from avow.errors import ServerLaunchError
from avow.system.processes import child_environment, expand, placeholders


def test_values_that_were_given_win_over_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAMED", "ours")
    monkeypatch.setenv("PATH", "/ours")

    environment = child_environment(["NAMED"], {"NAMED": "given", "PATH": "/given"})

    assert environment["NAMED"] == "given"
    assert environment["PATH"] == "/given"


def test_nothing_is_passed_on_that_was_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials in our own environment are none of a server's business."""
    for name in ("GITHUB_TOKEN", "npm_config__authToken", "SSH_AUTH_SOCK", "PYTHONPATH", "UV_PUBLISH_TOKEN"):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")

    environment = child_environment([], {})

    assert "secret" not in environment.values()
    assert environment["XDG_CACHE_HOME"] == "/cache"


def test_placeholders_are_filled_from_the_given_values_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERE", "ours")
    monkeypatch.setenv("THERE", "ours")

    assert expand("--at=${HERE}/${THERE}/$THERE/${}", {"HERE": "given"}) == "--at=given/ours/$THERE/${}"
    assert placeholders("${ONE} and ${TWO}") == ["ONE", "TWO"]
    with pytest.raises(ServerLaunchError, match="MISSING_VARIABLE is not set"):
        expand("${MISSING_VARIABLE}", {})
