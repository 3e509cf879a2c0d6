"""What is known before a server starts: the declaration first, then what was found out, then the target."""

from pathlib import Path
from typing import Any

import pytest

from avow.core.configuration.model import Binding, Configuration, Origin, Parameter, Source, Where
from avow.core.target import HttpTarget, StdioTarget, Target
from avow.errors import UsageError
from avow.system.configuration.identity import identify
from avow.system.configuration.known import OF_THE_TARGET, Known, known_needs
from avow.system.configuration.remembered import Answers, save
from avow.system.secret_store import open_store

FILES = StdioTarget("files-server")


def entry(name: str, *, required: bool = True, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": "", "type": "string", "required": required, **more}


def declared(*variables: str, arguments: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "environmentVariables": [entry(name) for name in variables],
        "arguments": [entry(name) for name in arguments],
    }


def keys(known: Known) -> list[str]:
    return list(known.configuration.parameters)


def remember(target: Target, *parameters: Parameter) -> None:
    save(identify("files", target), Configuration.of(parameters), Answers(()), open_store())


def test_without_anything_nothing_is_needed() -> None:
    known = known_needs("files", FILES)

    assert keys(known) == []
    assert known.remembered is None
    assert not known.namesake


def test_a_declaration_is_taken_as_it_is_and_a_broken_one_is_none() -> None:
    assert keys(known_needs("files", FILES, declared("FOO_TOKEN"))) == ["FOO_TOKEN"]
    assert keys(known_needs("files", FILES, {"environmentVariables": 3})) == []
    assert keys(known_needs("files", FILES, "nonsense")) == []


def test_the_target_names_variables_placeholders_and_headers() -> None:
    target = StdioTarget("server", ("--key=${API_KEY}",), env=("FOO_TOKEN",), cwd="${PLACE}")
    known = known_needs("files", target, declared("FOO_TOKEN"))
    remote = known_needs("api", HttpTarget("https://x/${TENANT}", ("X-Key",)))

    assert keys(known) == ["FOO_TOKEN", "API_KEY", "PLACE"]
    assert known.configuration.parameters["FOO_TOKEN"].source != OF_THE_TARGET
    assert known.configuration.parameters["API_KEY"].source == OF_THE_TARGET
    assert keys(remote) == ["TENANT", "X-Key"]
    assert remote.configuration.parameters["X-Key"].binding.where is Where.HEADER


def test_what_was_found_out_earlier_is_added() -> None:
    found = Parameter("REGION", Binding(Where.ENV, "REGION"), source=Source(Origin.CODE))
    gone = Parameter("OLD", Binding(Where.ENV, "OLD"))
    remember(FILES, found, gone)

    assert keys(known_needs("files", FILES)) == ["REGION", "OLD"]
    assert keys(known_needs("files", FILES, declared("FOO_TOKEN"))) == ["FOO_TOKEN", "REGION"]


def test_a_namesake_is_noticed_and_gets_nothing() -> None:
    remember(FILES, Parameter("REGION", Binding(Where.ENV, "REGION")))

    known = known_needs("files", StdioTarget("evil-server"))

    assert known.namesake
    assert known.remembered is None
    assert keys(known) == []


@pytest.mark.parametrize(
    ("command", "left"),
    [
        (("npx", "-y", "server"), ["directory", "--port"]),
        (("npx", "-y", "server", "/data"), ["--port"]),
        (("npx", "-y", "server", "--port", "80"), ["directory"]),
        (("npx", "-y", "server", "--port=80", "/data"), []),
        (("server", "/data"), ["--port"]),
        (("python", "-m", "server"), ["directory", "--port"]),
        (("python", "-m", "server", "/data"), ["--port"]),
    ],
)
def test_what_the_command_says_itself_is_not_asked_for(command: tuple[str, ...], left: list[str]) -> None:
    """A server that was approved with its arguments starts as before."""
    schema = declared(arguments=("directory", "--port"))

    found = keys(known_needs("files", StdioTarget(command[0], command[1:]), schema))

    # The value of a flag may be taken for an argument, and then nobody is asked in vain.
    assert [key for key in found if key in left] == found
    assert ("--port" in found) is ("--port" in left)


def test_a_variable_that_the_command_sets_is_not_asked_for() -> None:
    target = StdioTarget("docker", ("run", "-e", "FOO_TOKEN=x", "image"))

    assert keys(known_needs("files", target, declared("FOO_TOKEN", "BAR"))) == ["BAR"]


def settings(text: str) -> Path:
    Path("avow.toml").write_text(text, encoding="utf-8")
    return Path("avow.lock")


def test_the_settings_beside_the_lockfile_count_and_no_others(tmp_path: Path) -> None:
    lockfile = settings('[servers.files.configuration]\nLOG_LEVEL = "debug"\n')

    known = known_needs("files", FILES, lockfile=lockfile)

    assert known.project.values == {"LOG_LEVEL": "debug"}
    assert known.place == Path.cwd().resolve()
    assert keys(known) == ["LOG_LEVEL"]
    assert keys(known_needs("files", FILES)) == []
    assert keys(known_needs("files", FILES, lockfile=tmp_path / "avow.lock")) == []
    assert keys(known_needs("others", FILES, lockfile=lockfile)) == []


def test_settings_for_what_the_server_does_not_have_are_refused() -> None:
    lockfile = settings('[servers.files.configuration]\ndirectry = "/data"\n')

    with pytest.raises(UsageError, match="no parameter of files") as caught:
        known_needs("files", FILES, declared(arguments=("directory",)), lockfile=lockfile)
    assert "'directory'" in caught.value.hint


def test_settings_that_hold_a_secret_are_refused() -> None:
    schema = {"environmentVariables": [entry("CONNECTION", sensitive=True)]}
    lockfile = settings('[servers.files.presets.production]\nCONNECTION = "x"\n')

    with pytest.raises(UsageError, match="CONNECTION of files, which is a secret"):
        known_needs("files", FILES, schema, lockfile=lockfile)
