"""What people read when they decide, publish and ask on the command line, at a registry that runs."""

import io
import json
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from avow.cli.main import run
from avow.cli.registry.changes import read_since
from avow.core.documents import snapshot_document
from avow.errors import UsageError
from registry_running import DELETE, OWNER, READ, Program, envelope, program
from small_server import snapshot

Avow = Callable[..., str]


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with program(tmp_path_factory.mktemp("registry"), "--quiet") as started:
        yield started


@pytest.fixture
def avow(registry: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Avow:
    """Run a command here, with an administrator's token."""
    for name in ("DATA", "STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    monkeypatch.setenv("AVOW_REGISTRY", registry.url)
    monkeypatch.setenv("AVOW_REGISTRY_TOKEN", registry.token)
    monkeypatch.chdir(tmp_path)

    def called(*arguments: str, code: int = 0) -> str:
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            ended = run(list(arguments))
        assert ended == code, (ended, out.getvalue(), err.getvalue())
        return out.getvalue() + err.getvalue()

    return called


def published(registry: Program, name: str, *versions: tuple[str, list[dict[str, Any]]]) -> None:
    headers = {"authorization": f"Bearer {registry.token}", "content-type": "application/json"}
    for version, tools in versions:
        data = envelope(version, *tools, name=name, key=OWNER)
        httpx.post(f"{registry.url}/api/v1/publish", content=data, headers=headers).raise_for_status()


def decision(*words: str, environment: str = "production", reason: str = "read it") -> tuple[str, ...]:
    return ("registry", *words, "--environment", environment, "--reason", reason)


def test_a_decision_says_which_version_and_what_it_comes_to(registry: Program, avow: Avow) -> None:
    """`latest` is another version every day: what was decided about is told, and is in the log."""
    published(registry, "io.github.one/files", ("1.0.0", [READ]), ("1.1.0", [READ, DELETE]))

    said = avow(*decision("approve", "io.github.one/files", "latest"))
    again = avow(*decision("approve", "io.github.one/files", "1.1.0"))
    back = avow(*decision("take-back", "io.github.one/files", "1.1.0", reason="too early"))
    nothing = avow(*decision("take-back", "io.github.one/files", "1.1.0", reason="too early"))

    assert said.startswith("io.github.one/files 1.1.0 is approved in production; entry ")
    assert again.startswith("nothing new: you have approved it with these words before; ")
    assert back.startswith("io.github.one/files 1.1.0 is pending in production; entry ")
    assert nothing.startswith("nothing to take back: ")


def test_who_is_outvoted_is_told_by_whom(
    registry: Program, avow: Avow, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(registry, "io.github.two/files", ("1.0.0", [READ]))
    ada = avow("registry", "token", "add", "Ada", "--role", "approve").strip()

    avow(*decision("reject", "io.github.two/files", "1.0.0"))
    monkeypatch.setenv("AVOW_REGISTRY_TOKEN", ada)
    said = avow(*decision("approve", "io.github.two/files", "1.0.0"))

    assert "is rejected in production: administrator rejected it, and would have to take that back" in said


def test_two_spellings_of_a_name_count_once(
    registry: Program, avow: Avow, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(registry, "io.github.spelled/files", ("1.0.0", [READ]))
    tokens = [avow("registry", "token", "add", each, "--role", "approve").strip() for each in ("Zoe", "zoe")]
    avow("registry", "environment", "spelled", "--needed", "2")
    about = ("io.github.spelled/files", "1.0.0")
    told: list[str] = []
    for token in tokens:
        monkeypatch.setenv("AVOW_REGISTRY_TOKEN", token)
        reason = f"reason {len(told)}"
        told.append(avow(*decision("approve", *about, environment="spelled", reason=reason)))
    listed = avow("registry", "approvals", "--environment", "spelled", "--state", "pending", "--limit", "200")
    back = avow(*decision("take-back", *about, environment="spelled"))

    assert all(
        "is pending in spelled (1 of 2 approve): another person has to approve it" in each for each in told
    )
    assert "(1 of 2 approve)" in listed
    assert "is pending in spelled (0 of 2 approve); entry " in back


def test_a_misspelled_environment_is_asked_back(registry: Program, avow: Avow) -> None:
    """A decision is for good; one in the wrong place leaves the right one as it was."""
    published(registry, "io.github.three/files", ("1.0.0", [READ]))

    said = avow(*decision("approve", "io.github.three/files", "1.0.0", environment="prodution"), code=2)
    large = avow(*decision("approve", "io.github.three/files", "1.0.0", environment="Production"), code=2)
    meant = avow(*decision("approve", "io.github.three/files", "1.0.0", environment="trial"), "--new")
    known = avow(*decision("reject", "io.github.three/files", "1.0.0", environment="trial"))

    assert "there is no environment 'prodution' yet" in said
    assert "did you mean production?" in said
    assert "did you mean production?" in large
    assert "is approved in trial" in meant
    assert "is rejected in trial" in known


class Screen(io.StringIO):
    """A terminal, with somebody who types."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("typed", "code"), [("n", 1), ("y", 0)])
def test_on_a_terminal_somebody_is_asked_whether_it_is_meant(
    registry: Program, avow: Avow, monkeypatch: pytest.MonkeyPatch, typed: str, code: int
) -> None:
    published(registry, "io.github.eleven/files", ("1.0.0", [READ]))
    assert avow("registry", "environment", "asked", code=0) == "asked is not there yet\n"
    monkeypatch.setattr("sys.stdin", Screen(f"{typed}\n"))

    with redirect_stdout(io.StringIO()) as out, redirect_stderr(Screen()):
        ended = run([*decision("approve", "io.github.eleven/files", "1.0.0", environment="asked")])

    assert ended == code
    assert ("is approved in asked" in out.getvalue()) == (typed == "y")


def test_a_team_lead_asks_what_may_be_used_and_who_said_so(registry: Program, avow: Avow) -> None:
    space = "io.github.four"
    published(registry, f"{space}/good", ("1.0.0", [READ]), ("2.0.0", [READ, DELETE]))
    published(registry, f"{space}/bad", ("1.0.0", [DELETE]))
    avow(*decision("approve", f"{space}/good", "1.0.0", environment="four", reason="fine"), "--new")
    avow(*decision("approve", f"{space}/bad", "1.0.0", environment="four", reason="looked fine"))
    avow(*decision("reject", f"{space}/bad", "1.0.0", environment="four", reason="deletes"))

    rows = avow("registry", "approvals", "--environment", "four", "--limit", "200").splitlines()
    only = avow("registry", "approvals", "--environment", "four", "--state", "approved", "--format", "json")

    today = f"{datetime.now(UTC):%Y-%m-%d}"
    words = [" ".join(row.split()) for row in rows if space in row]
    assert words == [
        f"pending {space}/good 2.0.0 nobody has decided; critical drift to 1.0.0",
        f"rejected {space}/bad 1.0.0 administrator on {today}: deletes",
        f"approved {space}/good 1.0.0 administrator on {today}: fine",
    ]
    [approved] = json.loads(only)["environments"]["four"]["approved"]["versions"]
    assert (approved["version"], approved["standing"]["state"]) == ("1.0.0", "approved")
    assert "nothing is rejected here" in avow(
        "registry", "approvals", "--environment", "elsewhere", "--state", "rejected"
    )


def test_a_team_lead_asks_what_changed_this_week(registry: Program, avow: Avow) -> None:
    """The worst first; a first version comes behind what is known to be worse than safe."""
    published(
        registry, "io.github.five/files", ("1.0.0", [READ]), ("1.0.1", [READ]), ("2.0.0", [READ, DELETE])
    )

    said = avow("registry", "changes", "--target", "io.github.five/*")
    listed = json.loads(avow("registry", "changes", "--target", "io.github.five/*", "--format", "json"))
    later = (datetime.now(UTC) + timedelta(days=2)).date().isoformat()

    words = [row.split() for row in said.splitlines()[1:4]]
    assert [(row[0], row[3]) for row in words] == [
        ("critical", "2.0.0"),
        ("first", "1.0.0"),
        ("none", "1.0.1"),
    ]
    assert [each["version"] for each in listed["changes"]] == ["2.0.0", "1.0.0", "1.0.1"]
    assert "nothing was published since" in avow("registry", "changes", "--since", later)
    assert "1 more: --limit" in avow("registry", "changes", "--target", "io.github.five/*", "--limit", "2")


def test_since_when_is_an_age_or_a_date() -> None:
    now = datetime(2026, 11, 15, 12, tzinfo=UTC)

    assert read_since("12h", now) == now - timedelta(hours=12)
    assert read_since("2w", now) == now - timedelta(weeks=2)
    assert read_since("2026-11-08", now) == datetime(2026, 11, 8, tzinfo=UTC)
    for text in ("last week", "7", "week"):
        with pytest.raises(UsageError, match="an age or a date"):
            read_since(text, now)


def saved(*tools: dict[str, Any]) -> str:
    """A snapshot in a file."""
    Path("saved.json").write_text(json.dumps(snapshot_document(snapshot(list(tools)))), encoding="utf-8")
    return "saved.json"


def publication(name: str, version: str, *tools: dict[str, Any], key: str = "a.key") -> tuple[str, ...]:
    file = saved(*tools or (READ,))
    return ("registry", "publish", file, "--version", version, "--as", name, "--key", key)


def test_a_publication_says_what_it_means_and_what_comes_next(avow: Avow) -> None:
    avow("keygen", "--out", "a.key")

    first = avow(*publication("io.github.six/files", "1.0.0"))
    second = avow(*publication("io.github.six/files", "2.0.0", READ, DELETE))
    again = avow(*publication("io.github.six/files", "2.0.0", READ, DELETE))

    assert "nobody had io.github.six: it belongs to sha256:" in first
    assert "its first version" in first
    assert "1 critical since 1.0.0" in second
    assert "avow registry approve io.github.six/files 2.0.0 --environment production" in second
    assert "belongs to" not in second
    assert "was published before" in again
    assert "next:" not in again


def test_the_wrong_key_is_told_as_such(avow: Avow) -> None:
    """The token is fine, and nothing that `publish` has no option for is advised."""
    for each in ("a.key", "b.key"):
        avow("keygen", "--out", each)
    avow(*publication("io.github.seven/files", "1.0.0"))

    stranger = avow(*publication("io.github.seven/files", "1.0.1", key="b.key"), code=2)
    public = avow(*publication("io.github.seven/files", "1.0.1", key="a.key.pub"), code=2)
    avow("registry", "namespace", "keys", "io.github.seven", "--add", "b.key.pub", "--revoke", "a.key.pub")
    revoked = avow(*publication("io.github.seven/files", "1.0.1"), code=2)

    assert "b.key is not a key of io.github.seven" in stranger
    assert "avow registry namespace keys io.github.seven --add b.key.pub" in stranger
    assert "a.key was revoked in io.github.seven on " in revoked
    assert "token" not in stranger + revoked
    assert "holds a public key" in public
    assert "give a.key\n" in public


def test_a_misspelled_namespace_is_not_claimed(avow: Avow) -> None:
    avow("keygen", "--out", "a.key")
    avow(*publication("io.github.eighth/files", "1.0.0"))

    slip = avow(*publication("io.github.eigth/files", "1.0.0"), code=2)
    nobody = avow("registry", "namespace", "show", "io.github.eigth", code=2)
    meant = avow(*publication("io.github.eigth/files", "1.0.0"), "--claim")

    assert "nobody has io.github.eigth; did you mean io.github.eighth?" in slip
    assert "nobody has claimed" in nobody
    assert "it belongs to" in meant


def test_what_cannot_be_published_is_told_before_anybody_is_asked(avow: Avow) -> None:
    avow("keygen", "--out", "a.key")

    latest = avow(*publication("io.github.nine/files", "latest"), code=2)
    arguments = ("--version", "1", "--as", "io.github.nine/files", "--key", "a.key")
    nothing = avow("registry", "publish", "nosuch", *arguments, code=2)

    assert "'latest' always means the newest version" in latest
    assert "'nosuch' is neither a FILE.json nor in a lockfile" in nothing


@pytest.mark.parametrize(
    ("command", "message", "hint"),
    [
        (("token", "revoke", "nonsense"), "not an identifier", "`avow registry token list` shows them"),
        (("watch", "remove", "nonsense"), "not an identifier", "`avow registry watch list` shows them"),
        (("webhook", "test", "nonsense"), "not an identifier", "`avow registry webhook list` shows them"),
        (("search", "--digest", "7eb5f22a0250"), "not a whole digest", "`--format json` has all of it"),
        (("search", "--argument", "path:strng"), "did you mean string?", "path:string"),
        (("search", "--annotation", "readOnlyHint"), "not an annotation", "readOnlyHint:true"),
        (("token", "add", "", "--role", "read"), "is not a name", "Ada"),
        (("namespace", "claim", "a.b", "--key", "no.pub"), "there is no file no.pub", "avow keygen"),
        (("search",), "say what to look for", "for example"),
        (("environment", "Prod", "--needed", "2"), "not the name of an environment", "did you mean prod?"),
        (("approvals", "--environment", "my prod"), "not the name of an environment", "my-prod"),
        (("approve", "a.b/c", "1", "--environment", "x", "--reason", " "), "needs a reason", "log"),
        (("history", "io.github.one/nosuch"), "has not been published here", "search --servers"),
        (
            decision("approve", "io.github.one/files", "9")[1:],
            "not been published",
            "registry history io.gith",
        ),
    ],
)
def test_a_mistake_is_told_in_words_with_the_next_step(
    registry: Program, avow: Avow, command: tuple[str, ...], message: str, hint: str
) -> None:
    """And not as the pattern that something did not match."""
    published(registry, "io.github.one/files", ("1.0.0", [READ]))

    said = avow("registry", *command, code=2)

    first, second, *rest = said.splitlines()
    assert message in first
    assert second.startswith("hint: ")
    assert hint in second
    assert not rest
    assert "^" not in said


def test_environments_are_shown_and_changed(avow: Avow) -> None:
    assert "2 people have to agree" in avow("registry", "environment", "guarded", "--needed", "2")

    rows = [row.split() for row in avow("registry", "environment").splitlines()]

    assert ["guarded", "2", "people"] in rows
    assert "is not there yet" in avow("registry", "environment", "nosuch")
    assert "name it" in avow("registry", "environment", "--needed", "2", code=2)


def test_servers_are_found_with_what_they_offer(registry: Program, avow: Avow) -> None:
    published(registry, "io.github.ten/files", ("1.0.0", [READ, DELETE]))

    [row] = [each for each in avow("registry", "search", "--servers", "ten").splitlines() if "ten/" in each]

    assert row.split()[:2] == ["io.github.ten/files", "1.0.0"]
    assert row.endswith(" high, 1 medium") or " high, 1 medium: " in row
    assert "nothing found" in avow("registry", "search", "--tool", "nosuch", code=1)
