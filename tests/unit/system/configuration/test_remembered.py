"""What was configured comes back, its secrets are elsewhere, and only what is new is asked for."""

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from avow.core.canonical import digest
from avow.core.configuration.model import Binding, Configuration, Group, GroupRule, Parameter, Where
from avow.core.target import StdioTarget
from avow.errors import StorageError
from avow.system.configuration.identity import identify
from avow.system.configuration.remembered import (
    Answers,
    Remembered,
    declaration_digest,
    forget,
    namesakes,
    recall,
    save,
    unanswered,
    update,
)
from avow.system.secret_store import StoreKind, open_store

TOKEN = Parameter("FOO_TOKEN", Binding(Where.ENV, "FOO_TOKEN"), required=True)
LEVEL = Parameter("LOG_LEVEL", Binding(Where.ENV, "LOG_LEVEL"), default="info")
PATHS = Parameter("paths", Binding(Where.ARGUMENT, "paths"), multiple=True, default=("a", 1, 2.5, True))
NEEDS = Configuration.of([TOKEN, LEVEL, PATHS], [Group(GroupRule.ANY_OF, (("FOO_TOKEN",), ("paths",)))])
SECRET = "tok-0123456789-abcdef"
FILES = identify("files", StdioTarget("files-server"))
ASKED = ("FOO_TOKEN", "LOG_LEVEL", "paths")


def configured() -> Remembered:
    answers = Answers(ASKED, {"FOO_TOKEN": SECRET, "paths": ["/a", "/b"]})
    return save(FILES, NEEDS, answers, open_store())


def test_everything_comes_back_and_the_secret_is_elsewhere(home: Path) -> None:
    saved = configured()

    assert recall(FILES) == saved
    assert saved.values == {"paths": ("/a", "/b")}
    assert saved.secrets == {"FOO_TOKEN": StoreKind.FILE}
    assert saved.configuration == NEEDS
    assert open_store().get(str(FILES), "FOO_TOKEN") == SECRET
    for path in home.rglob("*"):
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes()
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert SECRET not in repr(Answers(ASKED, {"FOO_TOKEN": SECRET}))


def test_nothing_is_remembered_for_others() -> None:
    configured()
    namesake = identify("files", StdioTarget("evil-server"))

    assert recall(namesake) is None
    assert [one.identity for one in namesakes(namesake)] == [FILES]
    assert namesakes(FILES) == ()
    assert namesakes(identify("Files!", StdioTarget("files-server"))) == ()


def test_what_was_not_asked_again_stays() -> None:
    configured()

    saved = save(FILES, NEEDS, Answers(("LOG_LEVEL",), {"LOG_LEVEL": "debug"}), open_store())

    assert saved.values == {"LOG_LEVEL": "debug", "paths": ("/a", "/b")}
    assert saved.secrets == {"FOO_TOKEN": StoreKind.FILE}


def test_what_was_left_empty_is_removed() -> None:
    configured()

    saved = save(FILES, NEEDS, Answers(("FOO_TOKEN", "paths")), open_store())

    assert (saved.values, saved.secrets) == ({}, {})
    assert open_store().list(str(FILES)) == ()


def test_what_the_server_needs_no_more_is_removed() -> None:
    configured()

    saved = save(FILES, Configuration.of([LEVEL]), Answers(()), open_store())

    assert (saved.values, saved.secrets) == ({}, {})
    assert open_store().list(str(FILES)) == ()


def test_what_turns_out_to_be_secret_leaves_the_file(home: Path) -> None:
    """The declaration of yesterday did not say so, and the name does not either."""
    plain = Parameter("CONNECTION", Binding(Where.ENV, "CONNECTION"))
    save(FILES, Configuration.of([plain]), Answers(("CONNECTION",), {"CONNECTION": SECRET}), open_store())

    declared = Configuration.of([replace(plain, secret=True)])
    saved = save(FILES, declared, Answers(("CONNECTION",), {"CONNECTION": SECRET}), open_store())

    assert saved.values == {}
    assert SECRET.encode() not in b"".join(p.read_bytes() for p in home.rglob("*") if p.is_file())


def test_consents_are_kept() -> None:
    first = Answers(
        (), environment=("FOO_TOKEN",), insisted=("PATH",), seen={"/a": digest("a"), "/b": digest("b")}
    )
    save(FILES, NEEDS, first, open_store())
    saved = save(FILES, NEEDS, Answers((), environment=("BAR",), seen={"/a": digest("c")}), open_store())

    assert saved.environment == ("BAR", "FOO_TOKEN")
    assert saved.insisted == ("PATH",)
    assert saved.seen == {"/a": digest("c"), "/b": digest("b")}


def test_only_what_is_new_is_asked_for() -> None:
    saved = configured()
    new = Parameter("REGION", Binding(Where.ENV, "REGION"))
    fixed = Parameter("MODE", Binding(Where.ENV, "MODE"), fixed="stdio")
    later = Configuration.of([*NEEDS, new, fixed])

    assert unanswered(None, NEEDS) == (TOKEN, LEVEL, PATHS)
    assert unanswered(saved, NEEDS) == ()
    assert unanswered(saved, later) == (new,)
    assert saved.declaration == declaration_digest(NEEDS) != declaration_digest(later)


def test_forgetting_takes_the_secrets_along(home: Path) -> None:
    configured()

    forget(FILES)
    forget(FILES)

    assert recall(FILES) is None
    assert open_store().list(str(FILES)) == ()


def test_many_at_once_lose_nothing() -> None:
    def add(number: int) -> None:
        update(FILES, lambda before: replace(before, answered=(*before.answered, str(number))))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(24)))

    found = recall(FILES)
    assert found is not None
    assert sorted(map(int, found.answered)) == list(range(24))


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"version": 1}', '{"version": 1, "name": 3, "target": ""}']
)
def test_a_damaged_file_is_told_apart_from_none(home: Path, content: str) -> None:
    configured()
    (path,) = (home / ".config" / "avow" / "servers").iterdir()
    path.write_text(content)

    with pytest.raises(StorageError, match=r"damaged|has version") as caught:
        recall(FILES)
    assert caught.value.hint


def test_a_damaged_file_of_a_namesake_holds_nobody_up(home: Path) -> None:
    configured()
    (path,) = (home / ".config" / "avow" / "servers").iterdir()
    path.write_text("{")

    assert namesakes(identify("files", StdioTarget("other-server"))) == ()


def test_a_file_of_a_newer_version_asks_for_an_upgrade(home: Path) -> None:
    configured()
    (path,) = (home / ".config" / "avow" / "servers").iterdir()
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": 2}))

    with pytest.raises(StorageError) as caught:
        recall(FILES)
    assert caught.value.hint == "upgrade Avow"
