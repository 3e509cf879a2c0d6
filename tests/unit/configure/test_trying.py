"""Rejected credentials, told apart from everything else that servers say."""

import pytest

from avow.configure.trying import CannotStart, Rejected, Works, is_rejection, judged
from avow.errors import ServerLaunchError
from avow.system.diagnosis.evidence import Evidence, Outcome
from avow.system.diagnosis.starting import Tried
from small_server import snapshot


@pytest.mark.parametrize(
    "words",
    [
        "GET https://api.github.com/user: 401 Unauthorized",
        "https://example.org/mcp answers HTTP 403 Forbidden",
        "Error: invalid_auth",
        "Invalid API key provided: sk-…",
        "The access token has been revoked",
        "password authentication failed for user app",
        "Bad credentials",
        "AuthenticationError: unauthorised",
    ],
)
def test_a_rejection_is_recognised(words: str) -> None:
    assert is_rejection(words)


@pytest.mark.parametrize(
    "words",
    [
        "Error: GITHUB_TOKEN environment variable is required",
        "listening on 10.0.4.401",
        "ModuleNotFoundError: No module named 'tokens'",
        "ECONNREFUSED 127.0.0.1:5432",
        "took 0.403 seconds",
    ],
)
def test_other_failures_are_no_rejections(words: str) -> None:
    assert not is_rejection(words)


def test_a_server_that_starts_and_says_that_its_token_is_bad_does_not_work() -> None:
    said = Evidence(Outcome.OK, stderr="warning: 401 Unauthorized: Bad credentials", tools=1)

    assert isinstance(judged(Tried(said, snapshot([])), "demo"), Rejected)


def test_a_server_that_starts_and_mentions_authorisation_works() -> None:
    said = Evidence(Outcome.OK, stderr="unauthorized requests will be refused; 403 pages loaded", tools=1)

    assert isinstance(judged(Tried(said, snapshot([])), "demo"), Works)


def test_a_failure_names_what_the_server_seems_to_want() -> None:
    said = Evidence(Outcome.EXITED, exit_code=1, stderr="Error: SLACK_TEAM environment variable is required")

    outcome = judged(Tried(said, error=ServerLaunchError("it exited")), "slack")

    assert isinstance(outcome, CannotStart)
    assert "SLACK_TEAM" in outcome.needs.parameters
