"""Why a server failed: the words of package managers, runtimes, databases and networks."""

import pytest

from avow.system.diagnosis.diagnosing import diagnose
from avow.system.diagnosis.evidence import Evidence, Outcome

TRACEBACK = 'Traceback (most recent call last):\n  File "a.py", line 1\n'
CASES = {
    "not_found": [
        "npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/nope",
        "No solution found when resolving:\nBecause nope was not found in the package registry",
        "/usr/bin/python3: No module named nope",
        "npm error could not determine executable to run",
        "sh: 1: nope: not found",
    ],
    "broken_dependency": [
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /a/b.js",
        TRACEBACK + "    import x\nModuleNotFoundError: No module named 'x'",
        TRACEBACK + "    @s.list_tools()\nAttributeError: 'Server' object has no attribute 'list_tools'",
        TRACEBACK + "    def f[T](x): ...\nSyntaxError: expected '('",
        "SyntaxError: The requested module 'x' does not provide an export named 'y'",
        "ImportError: libGL.so.1: cannot open shared object file: No such file or directory",
        "Error: The module was compiled against a different Node.js version using NODE_MODULE_VERSION 108.",
        "ERROR: Package 'x' requires a different Python: 3.9.1 not in '>=3.11'",
    ],
    "missing_service": [
        "Error: connect ECONNREFUSED 127.0.0.1:5432",
        "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
        "browserType.launch: Executable doesn't exist at /home/user/.cache/ms-playwright/chromium",
        "Error: spawn docker ENOENT",
        "getaddrinfo ENOTFOUND api.example.com",
    ],
    "wrong_transport": [
        "INFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)",
        "MCP server listening on port 3000",
        "Error: listen EADDRINUSE: address already in use :::3000",
    ],
    "needs_configuration": [
        "TypeError: Cannot read properties of undefined (reading 'split')",
        "Error: 401 Unauthorized",
        "botocore.exceptions.NoCredentialsError: Unable to locate credentials",
        "Usage: thing <directory>",
    ],
    "error": ["", "Segmentation fault"],
}


@pytest.mark.parametrize(
    ("status", "words"), [(status, words) for status, several in CASES.items() for words in several]
)
def test_words_point_at_their_cause(status: str, words: str) -> None:
    """Each in the words of the program that says it."""
    outcome = Outcome.SILENT if status == "wrong_transport" else Outcome.EXITED

    assert diagnose(Evidence(outcome, stderr=words, exit_code=1)).status == status


def test_what_a_program_ends_with_counts_more_than_what_it_said_before() -> None:
    """A warning about credentials comes first, and an import ends it."""
    words = (
        "No credentials configured. Set A_KEY.\nTraceback (most recent call last):\n"
        "  File \"a.py\", line 1\n    import b\nImportError: cannot import name 'b' from 'c'"
    )

    assert diagnose(Evidence(Outcome.EXITED, stderr=words, exit_code=1)).status == "broken_dependency"


def test_the_file_that_was_to_be_started_is_no_dependency() -> None:
    """Node says the same about a module that is missing and about a script that is."""
    words = "Error: Cannot find module '/srv/server.js'\n    at Module._resolveFilename"
    evidence = Evidence(Outcome.EXITED, ("node", "/srv/server.js"), stderr=words, exit_code=1)

    assert diagnose(evidence).status == "not_found"


def test_usage_on_stderr_is_no_failure() -> None:
    """A server that works may explain itself."""
    found = diagnose(Evidence(Outcome.OK, stderr="Usage: thing <directory>\nListening on stdio", tools=3))

    assert (found.status, found.parameters) == ("ok", ())


def test_the_second_sdk_breaks_the_first_ones_servers_and_says_what_helps() -> None:
    """The next step names the version that works."""
    imported = "    from mcp.server.fastmcp import FastMCP\n"
    words = TRACEBACK + imported + "ModuleNotFoundError: No module named 'mcp.server.fastmcp'"

    assert "mcp<2" in diagnose(Evidence(Outcome.EXITED, stderr=words, exit_code=1)).next
