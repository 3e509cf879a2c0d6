"""What is dangerous about a declaration: names that load code, names of secrets, defaults."""

import pytest

from avow.core.configuration.hazards import (
    is_loader,
    is_secret,
    is_secret_value,
    risky_default,
    risky_value,
    sets_loader,
    shown,
)
from avow.core.configuration.model import Binding, Parameter, Scalar, Where


def _variable(name: str, default: Scalar | tuple[Scalar, ...] | None = None, **more: bool) -> Parameter:
    return Parameter(name, Binding(Where.ENV, name), default=default, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name",
    [
        "LD_PRELOAD",
        "NODE_OPTIONS",
        "PATH",
        "Path",
        "PYTHONPATH",
        "GIT_SSH_COMMAND",
        "https_proxy",
        "HTTP_PROXY",
        "DYLD_INSERT_LIBRARIES",
        "BASH_ENV",
        "ENV",
        "npm_config_registry",
        "SSL_CERT_FILE",
        "HOME",
        "AVOW_PASSPHRASE",
        "NODE_EXTRA_CA_CERTS",
        "PERL5OPT",
        "JAVA_TOOL_OPTIONS",
        *(
            "DOCKER_HOST",
            "BUN_OPTIONS",
            "YARN_REGISTRY",
            "MAKEFLAGS",
            "KUBECONFIG",
            "R_LIBS_USER",
            "POETRY_HOME",
        ),
    ],
)
def test_a_variable_that_decides_what_runs_is_a_loader(name: str) -> None:
    assert is_loader(name)
    assert sets_loader(_variable(name))


@pytest.mark.parametrize(
    "name",
    [
        "GITHUB_TOKEN",
        "API_PATH",
        "NODE_ENV",
        "PYTHONUNBUFFERED",
        "PORT",
        "PROXY",
        "BUNDLE_ID",
        "DOCKER_IMAGE",
    ],
)
def test_most_variables_are_not(name: str) -> None:
    assert not is_loader(name)


def test_a_loader_is_found_in_every_place_of_a_parameter_and_only_among_variables() -> None:
    argument = Binding(Where.ARGUMENT, "PATH")

    assert not sets_loader(Parameter("x", argument))
    assert sets_loader(Parameter("x", argument, also=(Binding(Where.ENV, "PATH"),)))


@pytest.mark.parametrize(
    "parameter",
    [
        _variable("A", secret=True),
        _variable("GITHUB_TOKEN"),
        Parameter("a", Binding(Where.HEADER, "Authorization")),
        Parameter("a", Binding(Where.ENV, "DSN", template="{user}:{password}", part="password")),
        Parameter("a", Binding(Where.ENV, "A"), aliases=("API_KEY",)),
        Parameter("a", Binding(Where.ARGUMENT, "x"), also=(Binding(Where.ENV, "DB_PASSWORD"),)),
    ],
)
def test_a_secret_is_one_by_declaration_or_by_any_of_its_names(parameter: Parameter) -> None:
    assert is_secret(parameter)


def test_a_value_is_secret_by_its_shape_too() -> None:
    assert is_secret_value(_variable("GITHUB_TOKEN"), "x")
    assert is_secret_value(_variable("PLACE"), "https://me:s3cr3t-word@example.com")
    assert is_secret_value(_variable("PLACES"), ("x", "https://me:s3cr3t-word@example.com"))
    assert not is_secret_value(_variable("PLACE"), "https://example.com")


def test_a_name_that_says_nothing_is_no_secret() -> None:
    assert not is_secret(_variable("LOG_LEVEL"))


RISKY = {
    "/": "it is the whole file system",
    "//": "it is the whole file system",
    "/tmp/../": "it is the whole file system",
    "file:///": "it is the whole file system",
    "~": "it is the whole home directory",
    "~/": "it is the whole home directory",
    "$HOME/x/..": "it is the whole home directory",
    "~/.ssh": "it is where credentials are kept",
    "/data/.aws/credentials": "it is where credentials are kept",
    ".ssh": "it is where credentials are kept",
    r"C:\Users\me\.kube": "it is where credentials are kept",
    "C:\\": "it is a whole drive",
    "d:": "it is a whole drive",
    "/etc": "it belongs to the system, or to everybody",
    "/etc/hosts": "it belongs to the system, or to everybody",
    "/home": "it belongs to the system, or to everybody",
    "/home/me/": "it is a whole home directory",
    "/Users/me": "it is a whole home directory",
    "http://example.com/x": "what is sent to this address is not encrypted",
    " ftp://files.example.com": "what is sent to this address is not encrypted",
    "https://me:x@example.com": "the address names a user",
    "http://[::1": "it is an address that programs read differently",
    "http:/evil.example": "it is an address that programs read differently",
    r"http:\\evil.example": "it is an address that programs read differently",
    "//evil.example/x": "it is an address that programs read differently",
    "../../../etc/shadow": "it belongs to the system, or to everybody",
    "./data/../../etc": "it belongs to the system, or to everybody",
    "..": "it is the whole file system",
    "/tmp:/": "it is the whole file system",
    "/tmp, /": "it is the whole file system",
    "https://example.com,http://example.com": "what is sent to this address is not encrypted",
    "file:/etc/shadow": "it belongs to the system, or to everybody",
    "/run/user/1000": "it belongs to the system, or to everybody",
    "/var/run/docker.sock": "another program listens there, and may do anything for whoever asks",
    "unix:///var/run/docker.sock": "another program listens there, and may do anything for whoever asks",
    "~/.bash_history": "it is where credentials are kept",
    "~/.local/share/keyrings": "it is where credentials are kept",
    "~/Library": "it is where credentials are kept",
    "~root": "it is the whole home directory",
    "/mnt/c/Users": "it is a whole drive",
}


@pytest.mark.parametrize("default", RISKY)
def test_a_default_that_gives_much_away_has_to_be_seen(default: str) -> None:
    assert risky_default(_variable("WHERE", default)) == RISKY[default]
    assert risky_value(default) == RISKY[default]


@pytest.mark.parametrize(
    "default",
    [
        None,
        5,
        True,
        "",
        "info",
        "root",
        "./data",
        "/srv/files",
        "/home/me/projects",
        "https://api.example.com",
        "http://localhost:8080",
        "http://127.0.0.1",
        "http://[::1]:80",
        "wss://x.example",
        "sqlite:///x.db",
        *("../data", "~/notes", "~me/notes", r"C:\Projects\x", "localhost:80", "a,b", "/mnt/data/x", "12:30"),
        (),
    ],
)
def test_an_ordinary_default_may_be_used(default: Scalar | None) -> None:
    assert risky_default(_variable("WHERE", default)) is None


def test_one_of_several_defaults_is_enough() -> None:
    assert risky_default(_variable("WHERE", ("/srv/files", 5, "/"))) == "it is the whole file system"


def test_any_default_of_a_loader_has_to_be_seen() -> None:
    assert risky_default(_variable("LD_PRELOAD", "x.so")) is not None


def test_text_of_a_declaration_is_safe_to_show() -> None:
    assert shown("a\x1b[2Jb\u202e\nc", 40) == r"a\u{1b}[2Jb\u{202e} c"
