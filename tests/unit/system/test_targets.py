"""What a word on the command line means, and what becomes of values that come with it."""

from pathlib import Path

import pytest

from avow.core.target import FileTarget, HttpTarget, PythonTarget, StdioTarget, Target
from avow.errors import UsageError
from avow.system.clients import ConfiguredServer, FoundServers, SkippedServer
from avow.system.targets import Given, Known, fitting, reach_command, read_given, resolve

FILES = StdioTarget("npx", ("-y", "files"), env=("TOKEN",))


def configured(name: str, target: Target, path: str = "mcp.json", **values: str) -> ConfiguredServer:
    headers = values if isinstance(target, HttpTarget) else {}
    env = values if isinstance(target, StdioTarget) else {}
    return ConfiguredServer(name, target, env, headers, Path(path), "Cursor", "user", launch=target)


def known(
    *servers: ConfiguredServer,
    locked: dict[str, Target] | None = None,
    config: Path | None = None,
    skipped: tuple[SkippedServer, ...] = (),
) -> Known:
    return Known(Path("avow.lock"), lambda: locked or {}, lambda: FoundServers(servers, skipped), config)


@pytest.mark.parametrize(
    ("word", "target"),
    [
        ("https://example.com/mcp", HttpTarget("https://example.com/mcp")),
        ("package.module:server", PythonTarget("package.module:server")),
        ("saved.json", FileTarget("saved.json")),
        ("./saved", FileTarget("./saved")),
    ],
)
def test_a_word_says_by_its_form_what_it_is(word: str, target: Target) -> None:
    """Neither the lockfile nor any configuration is needed for these."""
    assert resolve(word, known(), Given()).target == target


def test_a_name_means_the_lock_entry_before_anything_else() -> None:
    """A client that is configured otherwise does not change what a person approved."""
    here = known(configured("files", StdioTarget("other")), locked={"files": StdioTarget("npx")})

    assert resolve("files", here, Given()).target == StdioTarget("npx")


def test_with_a_configuration_a_name_means_its_server() -> None:
    """`--config FILE` says where to look."""
    here = known(
        configured("files", StdioTarget("other"), KEY="v"),
        locked={"files": StdioTarget("npx")},
        config=Path("mcp.json"),
    )

    reached = resolve("files", here, Given())

    assert reached.target == StdioTarget("other", env=("KEY",))
    assert reached.environment == {"KEY": "v"}


def test_a_name_that_means_two_servers_is_refused() -> None:
    """Both places are named, and how to choose."""
    here = known(configured("x", StdioTarget("a"), "one.json"), configured("x", StdioTarget("b"), "two.json"))

    with pytest.raises(UsageError, match=r"one\.json, two\.json") as caught:
        resolve("x", here, Given())

    assert "--config" in caught.value.hint


def test_an_unknown_name_gets_the_nearest_one() -> None:
    """A slip of the finger is answered with what was meant."""
    with pytest.raises(UsageError) as caught:
        resolve("fiels", known(locked={"files": FILES}), Given())

    assert "'files'" in caught.value.hint


def test_a_server_that_cannot_be_used_says_why() -> None:
    """It is there, and pretending otherwise would send people searching."""
    skipped = SkippedServer("x", "it is disabled in the client", Path("mcp.json"), "Cursor", "user")

    with pytest.raises(UsageError, match="disabled"):
        resolve("x", known(skipped=(skipped,)), Given())


def test_a_locked_server_gets_the_values_that_its_client_gives_it() -> None:
    """The lockfile holds names only; the client's configuration of the same server has the values."""
    here = known(configured("files", FILES, TOKEN="t"), locked={"files": FILES})

    assert resolve("files", here, Given()).environment == {"TOKEN": "t"}


def test_values_of_another_server_of_that_name_are_not_taken() -> None:
    """The name is the same and the command is not: the token was meant for something else."""
    other = configured("files", StdioTarget("npx", ("-y", "evil"), env=("TOKEN",)), TOKEN="t")

    assert resolve("files", known(other, locked={"files": FILES}), Given()).environment == {}


def test_a_value_goes_only_to_servers_that_name_it() -> None:
    """`avow check -e TOKEN` with ten servers does not hand the token to all of them."""
    given = Given({"TOKEN": "t", "OTHER": "o"}, {"Authorization": "a", "X": "x"})

    assert fitting(given, FILES) == Given({"TOKEN": "t"})
    assert fitting(given, HttpTarget("https://a", ("authorization",))) == Given({}, {"Authorization": "a"})


def test_a_command_carries_the_names_of_its_variables_and_not_the_values() -> None:
    """The target may be stored; the values are beside it and do not show."""
    reached = reach_command(["npx", "server"], Given({"B": "secret-b", "A": "secret-a"}))

    assert reached.target == StdioTarget("npx", ("server",), ("A", "B"))
    assert "secret" not in repr(reached)


@pytest.mark.parametrize("option", ["", "=value", "A B=1"])
def test_a_malformed_variable_is_refused_without_repeating_it(option: str) -> None:
    """What looks like an option gone wrong may hold a secret."""
    with pytest.raises(UsageError) as caught:
        read_given([option], [], {})

    assert "value" not in caught.value.message


def test_a_variable_without_a_value_comes_from_our_environment() -> None:
    """And must be there: a server without its token is another server."""
    assert read_given(["A"], [], {"A": "1"}).environment == {"A": "1"}
    with pytest.raises(UsageError, match="no variable B"):
        read_given(["B"], [], {"A": "1"})


def test_a_header_may_refer_to_variables() -> None:
    """So that a secret need not be on the command line."""
    given = read_given([], ["Authorization: Bearer ${TOKEN}"], {"TOKEN": "t"})

    assert given.headers == {"Authorization": "Bearer t"}


@pytest.mark.parametrize("option", ["no colon", ": value", "A: ${MISSING}", "A: b\r\nC: d", "A b: c"])
def test_a_malformed_header_is_refused(option: str) -> None:
    """A line break would smuggle in a second header."""
    with pytest.raises(UsageError):
        read_given([], [option], {})


@pytest.mark.parametrize("url", ["https://user:secret@example.com/mcp", "https://", "http://[bad/mcp"])
def test_a_url_must_be_one_and_hold_no_password(url: str) -> None:
    """It would end up in a lockfile."""
    with pytest.raises(UsageError) as caught:
        resolve(url, known(), Given())

    assert "secret" not in caught.value.message


def test_values_of_the_wrong_kind_are_refused() -> None:
    """A header for a command, or a variable for a URL, would be dropped in silence otherwise."""
    with pytest.raises(UsageError, match="--header"):
        reach_command(["npx"], Given({}, {"A": "b"}))
    with pytest.raises(UsageError, match="--env"):
        resolve("https://example.com/mcp", known(), Given({"A": "b"}))


def test_a_broken_lockfile_is_no_reason_not_to_look_at_a_url() -> None:
    """It is read only for a name."""

    def broken() -> dict[str, Target]:
        raise UsageError("broken")

    here = Known(Path("avow.lock"), broken, lambda: FoundServers((), ()))

    assert resolve("https://example.com/mcp", here, Given()).target == HttpTarget("https://example.com/mcp")
    with pytest.raises(UsageError, match="broken"):
        resolve("files", here, Given())
