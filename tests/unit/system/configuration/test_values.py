"""Where values come from: each layer beats the next, and nobody gets what is not meant for him."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from avow.core.configuration.model import Binding, Configuration, Parameter, Where
from avow.core.configuration.project import ProjectConfiguration
from avow.core.target import HttpTarget, StdioTarget, Target
from avow.errors import UsageError
from avow.system.configuration.identity import identify
from avow.system.configuration.known import Known, known_needs
from avow.system.configuration.preflight import Ready, preflight
from avow.system.configuration.remembered import Answers, save
from avow.system.configuration.values import Layer, Resolution, Sources, explain, resolve
from avow.system.secret_store import SecretStore, StoreKind, StoreLockedError, open_store

FILES = StdioTarget("files-server")
SECRET = "tok-0123456789-abcdef"
TOKEN = Parameter("FOO_TOKEN", Binding(Where.ENV, "FOO_TOKEN"), required=True)
LEVEL = Parameter("LOG_LEVEL", Binding(Where.ENV, "LOG_LEVEL"), default="info")
LOADER = Parameter("NODE_OPTIONS", Binding(Where.ENV, "NODE_OPTIONS"))
PLACE = Path("/project")


def stored(given: dict[str, Any], target: Target = FILES, **consents: Any) -> Known:
    """A server for which this was stored."""
    needs = Configuration.of([TOKEN, LEVEL, LOADER])
    save(identify("files", target), needs, Answers((), given, **consents), open_store())
    return known_needs("files", target)


def layers(resolution: Resolution) -> dict[str, Layer]:
    return {key: found.layer for key, found in resolution.values.items()}


def test_each_layer_beats_the_next() -> None:
    """Taken away one after the other, the strongest first."""
    project = ProjectConfiguration({"LOG_LEVEL": "project"}, {"loud": {"LOG_LEVEL": "preset"}})
    known = stored({"LOG_LEVEL": "stored"}, environment=("LOG_LEVEL",), seen={str(PLACE): project.digest})
    known = replace(known, project=project, place=PLACE)
    environment = {"LOG_LEVEL": "environment"}

    def value(known: Known, sources: Sources) -> tuple[object, Layer]:
        found = resolve(known, sources).values["LOG_LEVEL"]
        return found.value, found.layer

    assert value(known, Sources({"LOG_LEVEL": "flag"}, environment, "loud")) == ("flag", Layer.FLAG)
    assert value(known, Sources({}, environment, "loud")) == ("environment", Layer.ENVIRONMENT)
    assert value(known, Sources({}, {}, "loud")) == ("preset", Layer.PROJECT)
    assert value(known, Sources()) == ("project", Layer.PROJECT)
    bare = replace(known, project=ProjectConfiguration())
    assert value(bare, Sources()) == ("stored", Layer.STORE)
    assert value(replace(bare, remembered=None), Sources()) == ("info", Layer.DEFAULT)


def test_a_stored_secret_comes_back_and_shows_nowhere() -> None:
    resolution = resolve(stored({"FOO_TOKEN": SECRET}), Sources())

    assert resolution.values["FOO_TOKEN"].value == SECRET
    assert SECRET not in repr(resolution)
    assert "secrets.json" in resolution.values["FOO_TOKEN"].place


def test_several_secret_values_come_back_as_several() -> None:
    keys = Parameter("API_KEYS", Binding(Where.ENV, "API_KEYS"), multiple=True, secret=True)
    identity = identify("files", FILES)
    save(identity, Configuration.of([keys]), Answers((), {"API_KEYS": ["one", "two"]}), open_store())

    found = resolve(known_needs("files", FILES), Sources()).values["API_KEYS"]

    assert found.value == ("one", "two")


def test_the_environment_is_not_searched_for_what_a_server_asks_for() -> None:
    """A declaration that names AWS_SECRET_ACCESS_KEY does not get it for that."""
    known = stored({})

    refused = resolve(known, Sources({}, {"FOO_TOKEN": SECRET}))
    agreed = resolve(stored({}, environment=("FOO_TOKEN",)), Sources({}, {"FOO_TOKEN": SECRET}))
    named = resolve(
        known_needs("files", StdioTarget("other", env=("FOO_TOKEN",))), Sources({}, {"FOO_TOKEN": SECRET})
    )

    assert "FOO_TOKEN" not in refused.values
    assert [found.layer for found in refused.withheld] == [Layer.ENVIRONMENT]
    assert "nobody has agreed that files gets it" in refused.withheld[0].reason
    assert SECRET not in repr(refused)
    assert layers(agreed)["FOO_TOKEN"] is Layer.ENVIRONMENT
    assert layers(named)["FOO_TOKEN"] is Layer.ENVIRONMENT


def test_what_every_server_inherits_is_there() -> None:
    home = Parameter("HOME", Binding(Where.ENV, "HOME"), required=True)
    known = replace(known_needs("files", FILES), configuration=Configuration.of([home]))

    found = resolve(known, Sources({}, {"HOME": "/home/me"})).values["HOME"]

    assert found.layer is Layer.ENVIRONMENT
    assert found.comes_by_itself


def test_an_alias_does_just_as_well() -> None:
    token = replace(TOKEN, aliases=("FOO_KEY",))
    known = replace(known_needs("files", FILES), configuration=Configuration.of([token]))

    assert layers(resolve(known, Sources({"FOO_KEY": SECRET}))) == {"FOO_TOKEN": Layer.FLAG}


def test_headers_have_no_case() -> None:
    known = known_needs("api", HttpTarget("https://x/mcp", ("X-Key",)))

    assert layers(resolve(known, Sources({"x-key": SECRET}))) == {"X-Key": Layer.FLAG}


def test_a_server_of_the_same_name_gets_nothing_and_is_told_so() -> None:
    stored({"FOO_TOKEN": SECRET})
    evil = StdioTarget("evil-server", env=("FOO_TOKEN",))

    resolution = resolve(known_needs("files", evil), Sources())

    assert resolution.values == {}
    assert "is for another command, address or directory" in resolution.withheld[0].reason


def test_the_settings_of_another_project_do_not_get_what_is_stored() -> None:
    """The same server, but its address would be one that a foreign repository chose."""
    url = Parameter("API_URL", Binding(Where.ENV, "API_URL"))
    needs = Configuration.of([TOKEN, url])
    identity = identify("files", FILES)
    project = ProjectConfiguration({"API_URL": "https://evil.example"})
    answers = Answers((), {"FOO_TOKEN": SECRET}, environment=("BAR",), seen={str(PLACE): project.digest})
    save(identity, needs, answers, open_store())
    known = replace(known_needs("files", FILES), project=project, place=Path("/foreign"))

    foreign = resolve(known, Sources())
    own = resolve(replace(known, place=PLACE), Sources())

    assert "FOO_TOKEN" not in foreign.values
    assert "not used with the settings in /foreign" in foreign.withheld[0].reason
    assert own.values["FOO_TOKEN"].value == SECRET


@pytest.mark.parametrize(
    "changed",
    [
        ProjectConfiguration({"LOG_LEVEL": "https://evil.example"}),
        ProjectConfiguration({"LOG_LEVEL": "debug", "GH_HOST": "https://evil.example"}),
        ProjectConfiguration({"LOG_LEVEL": "debug"}, {"loud": {"LOG_LEVEL": "https://evil.example"}}, "loud"),
    ],
)
@pytest.mark.parametrize("before", [ProjectConfiguration(), ProjectConfiguration({"LOG_LEVEL": "debug"})])
def test_settings_that_changed_are_settings_that_nobody_has_seen(
    before: ProjectConfiguration, changed: ProjectConfiguration
) -> None:
    """What a `git pull` brings stands beside no secret before somebody has looked at it."""
    known = stored({"FOO_TOKEN": SECRET}, environment=("BAR",), seen={str(PLACE): before.digest})
    known = replace(known, project=before, place=PLACE)

    as_seen, later = (resolve(one, Sources()) for one in (known, replace(known, project=changed)))

    assert as_seen.values["FOO_TOKEN"].value == SECRET
    assert "FOO_TOKEN" not in later.values
    assert "or they have changed since; `avow configure` shows them" in later.withheld[0].reason


def test_a_secret_is_not_handed_over_in_another_way_than_it_was_stored_for() -> None:
    """A lockfile that declares the token as an argument would show it to everybody on the machine."""
    known = stored({"FOO_TOKEN": SECRET})
    argument = replace(TOKEN, binding=Binding(Where.ARGUMENT, "FOO_TOKEN"))

    resolution = resolve(replace(known, configuration=Configuration.of([argument])), Sources())

    assert resolution.values == {}
    assert "in another way" in resolution.withheld[0].reason


@pytest.mark.parametrize("layer", [Layer.PROJECT, Layer.STORE, Layer.ENVIRONMENT])
def test_variables_of_loaders_need_somebody_who_insists(layer: Layer) -> None:
    given = {"NODE_OPTIONS": "--require=/tmp/evil.js"}

    def resolution(**consents: Any) -> Resolution:
        project = ProjectConfiguration(given if layer is Layer.PROJECT else {})
        seen = {str(PLACE): project.digest}
        known = stored(given if layer is Layer.STORE else {}, seen=seen, **consents)
        known = replace(known, project=project, place=PLACE)
        return resolve(known, Sources({}, given if layer is Layer.ENVIRONMENT else {}))

    refused = resolution(environment=("NODE_OPTIONS",))
    assert "NODE_OPTIONS" not in refused.values
    assert [(found.key, found.layer) for found in refused.withheld] == [("NODE_OPTIONS", layer)]
    assert layers(resolution(insisted=("NODE_OPTIONS",)))["NODE_OPTIONS"] is layer


@pytest.mark.parametrize(
    "declared",
    [
        Parameter("API_URL", Binding(Where.ENV, "API_URL"), default="https://evil.example"),
        Parameter("API_URL", Binding(Where.ENV, "API_URL"), fixed="https://evil.example"),
        replace(LEVEL, default="https://evil.example"),
        replace(LEVEL, binding=Binding(Where.ARGUMENT, "--api-url")),
    ],
)
def test_a_default_that_somebody_wrote_into_a_lockfile_stands_beside_no_secret(declared: Parameter) -> None:
    """The server is the same; its declaration is that of whoever wrote the lockfile."""
    known = stored({"FOO_TOKEN": SECRET})
    known = replace(known, configuration=Configuration.of([TOKEN, declared]))

    resolution = resolve(known, Sources())
    ready = preflight(known, resolution)

    assert layers(resolution) == {"FOO_TOKEN": Layer.STORE}
    assert [one.layer for one in resolution.withheld] == [Layer.DEFAULT]
    assert isinstance(ready, Ready)
    assert (ready.environment, ready.arguments) == ({"FOO_TOKEN": SECRET}, ())
    assert declared.key in resolve(known, Sources(shows_defaults=True)).values


def test_a_default_that_gives_too_much_away_is_no_value() -> None:
    root = Parameter("root", Binding(Where.ARGUMENT, "root"), default="/")
    known = replace(known_needs("files", FILES), configuration=Configuration.of([root]))

    assert resolve(known, Sources()).values == {}


def test_a_store_that_cannot_be_opened_is_a_reason_and_no_crash() -> None:
    known = stored({"FOO_TOKEN": SECRET})

    def locked(_kind: StoreKind) -> SecretStore:
        raise StoreLockedError("the keyring is locked", hint="unlock it")

    resolution = resolve(known, Sources(), locked)

    assert "FOO_TOKEN" not in resolution.values
    assert resolution.withheld[0].reason == "the keyring is locked (unlock it)"


def test_a_secret_that_somebody_removed_is_missing() -> None:
    known = stored({"FOO_TOKEN": SECRET})
    open_store().delete(str(known.identity), "FOO_TOKEN")

    resolution = resolve(known, Sources())

    assert "FOO_TOKEN" not in resolution.values
    assert resolution.withheld[0].reason == "it was stored, and is there no more"


def test_a_preset_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UsageError, match="no preset 'loud'"):
        resolve(known_needs("files", FILES), Sources(preset="loud"))


def test_where_values_are_from_is_told_without_the_secrets() -> None:
    known = stored({"FOO_TOKEN": SECRET})

    lines = explain(known, resolve(known, Sources({}, {"LOG_LEVEL": "x"})))

    told = {line.parameter.key: (line.layer, line.shown) for line in lines}
    assert told == {
        "FOO_TOKEN": (Layer.STORE, "****cdef"),
        "LOG_LEVEL": (Layer.DEFAULT, "info"),
        "NODE_OPTIONS": (None, ""),
    }
    assert [one.layer for line in lines for one in line.withheld] == [Layer.ENVIRONMENT]
    assert SECRET not in repr(lines)


def test_of_a_short_secret_nothing_is_shown() -> None:
    known = stored({"FOO_TOKEN": "short"})

    assert explain(known, resolve(known, Sources()))[0].shown == "****"
