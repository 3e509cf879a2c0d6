"""No credential of a target reaches a file or a report: by its name, and by its shape."""

import pytest

from avow.core.credentials import (
    credentials_in,
    is_credential,
    is_credential_name,
    may_hold_credential,
    secret_arguments,
    shown_command,
    shown_target,
    shown_url,
)
from avow.core.target import FileTarget, HttpTarget, PythonTarget, StdioTarget

# Put together here so that nobody's scanner takes them for real ones.
GITHUB = "ghp_" + "a1B2" * 9
OPENAI = "sk-" + "proj-0123456789abcdef"
NOISE = "Zk3vQ9" + "xT7bLmW2pRs8YdC4hJ5n"


@pytest.mark.parametrize(
    "name",
    [
        "GITHUB_TOKEN",
        "apiKey",
        "--api-key",
        "X-Api-Key",
        "--password",
        "DB_PASSWD",
        "AUTHTOKEN",
        "Authorization",
        "SLACK_BOT_TOKEN",
        "client_secret",
        "OPENAI_KEY",
        "--pat",
        "Cookie",
        "AWS_SECRET_ACCESS_KEY",
        *("DB_PASS", "PGPASS", "AWS_CREDS", "TOKENS", "SECRETS", "PASSWORDS", "API_KEYS", "COOKIES"),
        *("SECRETKEY", "ACCESSKEY", "PASSCODE", "MNEMONIC"),
        # Only the key of a project is none.
        *("PROJECT_API_KEY", "PRIMARY_PASSWORD", "CACHE_PASSWORD", "ISSUE_TOKEN", "OBJECT_STORE_SECRET"),
    ],
)
def test_a_name_says_that_a_credential_is_in_it(name: str) -> None:
    assert is_credential_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "HOME",
        "--token-file",
        "KEY_ID",
        "PUBLIC_KEY",
        "--sort-key",
        "MAX_TOKENS",
        "--keyboard",
        "PROJECT_KEY",
        "--",
        "TOKEN_URL",
        "author",
        "path",
        "MONKEY",
        *("ISSUE_KEYS", "--pass-through", "OUTPUT_TOKENS", "COMPASS"),
    ],
)
def test_a_name_that_only_sounds_like_it_does_not(name: str) -> None:
    assert not is_credential_name(name)


@pytest.mark.parametrize(
    "name",
    ["DATABASE_URL", "MONGODB_URI", "SENTRY_DSN", "CONNECTION_STRING", "SLACK_WEBHOOK_URL", "REDIS_AUTH"],
)
def test_some_addresses_often_have_a_credential_in_them(name: str) -> None:
    assert may_hold_credential(name)
    assert not is_credential_name(name)


@pytest.mark.parametrize("name", ["", "BASE_URL", "API_URL", "AUTH_MODE", "CONNECTION_TIMEOUT"])
def test_other_addresses_do_not(name: str) -> None:
    assert not may_hold_credential(name)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(GITHUB, id="GitHub"),
        pytest.param(f"Bearer {OPENAI}", id="with a word before it"),
        pytest.param("AKIA" + "IOSFODNN7EXAMPLE", id="AWS"),
        pytest.param("eyJhbGciOiJI" + ".eyJzdWIiOiIxMjM0NTY3ODkw", id="JWT"),
        pytest.param("-----BEGIN RSA PRIVATE KEY-----\nMII", id="private key"),
        pytest.param("postgres://user:hunter2@host/db", id="password in a URL"),
        pytest.param(f"https://{NOISE}@host/", id="token in a URL"),
        pytest.param("Server=db;User=sa;Password=hunter2;", id="connection string"),
        pytest.param(NOISE, id="noise"),
    ],
)
def test_a_value_has_the_shape_of_a_credential(value: str) -> None:
    assert is_credential(value)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("@modelcontextprotocol/server-filesystem", id="package"),
        pytest.param("mcp-server-git@2026.1.14", id="package with a version"),
        pytest.param("/home/me/Projects/App/Some2026Directory", id="path"),
        pytest.param("postgres://user@host/db", id="user without a password"),
        pytest.param("postgres://user:${PASSWORD}@host/db", id="placeholder"),
        pytest.param("https://example.com/mcp", id="address"),
        pytest.param("Server=db;Password=${PASSWORD}", id="connection string with a placeholder"),
        pytest.param("not a url://u:p@h", id="no address"),
        pytest.param("user@host:pw", id="no scheme"),
        pytest.param("task-sk-learn-something-longer1", id="a prefix inside a word"),
        pytest.param("sk-learn-is-a-library-name", id="a prefix and only words"),
        pytest.param("a" * 40, id="one letter"),
        pytest.param("aA1" * 10, id="a pattern"),
        pytest.param("aAbBcCdDeE" * 4, id="no digit"),
        pytest.param("abcdefgh1ABCDEFGH1abcdefgh1ABC111111111111111111", id="little variety"),
        pytest.param("0123456789abcdef0123456789abcdef01234567", id="commit"),
        pytest.param("ghcr.io/org/image@sha256:" + "0a" * 32, id="image"),
        pytest.param("", id="nothing"),
    ],
)
def test_ordinary_values_do_not(value: str) -> None:
    assert not is_credential(value)


@pytest.mark.parametrize(
    ("args", "places"),
    [
        pytest.param(("--token", "abc"), ("the value of --token",), id="after a flag"),
        pytest.param(("--api-key=abc",), ("the value of --api-key",), id="in a flag"),
        pytest.param(("-e", "GITHUB_TOKEN=abc"), ("the value of GITHUB_TOKEN",), id="a variable for docker"),
        pytest.param(("--header", "Authorization: Bearer abc"), ("the header in argument 2",), id="header"),
        pytest.param((GITHUB,), ("argument 1",), id="by its shape"),
        pytest.param((f"--x={NOISE}",), ("argument 1",), id="by its shape in a flag"),
        pytest.param(("postgres://u:pw@h/d",), ("the user information in argument 1",), id="URL"),
        pytest.param(("https://h/?token=abc&x=1",), ("the parameter token in argument 1",), id="query"),
        pytest.param((f"https://h/?x={GITHUB}",), ("the parameter x in argument 1",), id="shape in a query"),
        pytest.param((f"https://h/s/{NOISE}/mcp",), ("the path in argument 1",), id="path"),
        pytest.param((f"https://h/#{GITHUB}",), ("the path in argument 1",), id="fragment"),
        pytest.param(("https://[::1",), ("argument 1, which cannot be read as a URL",), id="broken URL"),
        pytest.param(("--token", f"/{NOISE}"), (), id="a path after a flag"),
        pytest.param(
            ("--token", "${TOKEN}", "--key", "./key.pem", "--secret", "--verbose"), (), id="harmless"
        ),
        pytest.param(("--password=", "--token", "none", "--header", "Accept: text/plain"), (), id="empty"),
        pytest.param(("-y", "@scope/server", "/tmp", "https://h/mcp?x=1"), (), id="ordinary"),
    ],
)
def test_a_credential_in_the_command_is_named_without_being_repeated(
    args: tuple[str, ...], places: tuple[str, ...]
) -> None:
    assert secret_arguments(StdioTarget("server", args)) == places


@pytest.mark.parametrize(
    ("args", "shown"),
    [
        pytest.param(("--auth-token", "dummy"), ("--auth-token", "***"), id="after a flag"),
        pytest.param(("--api-key=a",), ("--api-key=***",), id="in a flag"),
        pytest.param(("--header", "Cookie: a"), ("--header", "Cookie: ***"), id="header"),
        pytest.param((GITHUB,), ("***",), id="by its shape"),
        pytest.param((f"--x={NOISE}",), ("--x=***",), id="by its shape in a flag"),
        pytest.param(
            ("--db=postgres://me:p@h/p?mode=fast#x",), ("--db=postgres://***@h/p?mode=***#x",), id="URL"
        ),
        pytest.param(("http://u:p@h/?token=abc",), ("http://***@h/?token=***",), id="two in a URL"),
        pytest.param((f"https://h/{NOISE}/mcp#{GITHUB}",), ("https://h/***/mcp#***",), id="path"),
        pytest.param(("--token=https://h/mcp",), ("--token=***",), id="an address that is one"),
        pytest.param(("https://[::1?a=b",), ("***",), id="broken URL"),
        pytest.param(("--key", "${KEY}", "-y", "@a/b"), ("--key", "${KEY}", "-y", "@a/b"), id="ordinary"),
    ],
)
def test_a_command_is_shown_without_its_credentials(args: tuple[str, ...], shown: tuple[str, ...]) -> None:
    assert shown_command(StdioTarget("server", args)) == ("server", *shown)


def test_an_address_is_shown_without_its_credentials() -> None:
    assert shown_url(f"https://me@h:80/a/{NOISE}?b=c&d") == "https://***@h:80/a/***?b=***&d"
    assert shown_url("https://h/mcp") == "https://h/mcp"


def test_a_target_is_shown_without_its_credentials() -> None:
    """And as it is where it has none: what a person typed is what they want to read."""
    stdio = StdioTarget("server", ("--token", "abc", "https://h/?a=b"), ("A=1", "B"), "/srv")
    http = HttpTarget(f"https://h/{NOISE}?a=b", ("X-Team", "Authorization: abc"))

    assert shown_target(stdio) == StdioTarget(
        "server", ("--token", "***", "https://h/?a=***"), ("A", "B"), "/srv"
    )
    assert shown_target(http) == HttpTarget("https://h/***?a=***", ("X-Team", "Authorization"))
    for plain in (
        StdioTarget("server", ("https://h/?a=b",)),
        HttpTarget("https://h/?a=b"),
        FileTarget("a.json"),
    ):
        assert shown_target(plain) is plain


def test_the_values_are_there_for_whoever_has_to_hide_them() -> None:
    """But not for whoever prints the finding."""
    url = f"https://me:pw@h/{NOISE}?token=a%20b"
    found = credentials_in(StdioTarget("server", ("--pat", "abc", url, f"http://{NOISE}@h/"), ("A=1",)))

    assert [credential.value for credential in found] == ["abc", "pw", "a b", NOISE, NOISE, "1"]
    assert "abc" not in repr(found)


def test_values_have_no_place_where_names_belong() -> None:
    assert secret_arguments(StdioTarget("server", env=("A=1", "B"))) == ("the environment variable A",)
    assert secret_arguments(HttpTarget("https://h/mcp", ("X-Team", "Authorization: abc"))) == (
        "the header Authorization",
    )


def test_an_address_may_hold_one_too() -> None:
    assert secret_arguments(HttpTarget(f"https://h/{NOISE}/mcp")) == ("the path in the URL",)
    assert secret_arguments(PythonTarget("demo:server")) == ()
    assert secret_arguments(FileTarget("demo.json")) == ()
