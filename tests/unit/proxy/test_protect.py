"""Protecting client configurations, and taking it back to the last byte."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avow.errors import MalformedInputError, StorageError, UsageError
from avow.proxy.protect import Plan, carry_out, plan_protection, plan_removal, this_program
from avow.system.clients.backups import Backups
from avow.system.clients.find import ClientFile, read_files
from avow.system.clients.places import Machine

SECRET = "hunter2-is-long"
LAUNCHER = ("/usr/bin/avow",)

JSONC = """\
// mine
{
  "servers": {
    "files": {
      "command": "npx", // the runner
      "args": ["-y", "server"],
      "env": {"TOKEN": "hunter2-is-long"},
    },
    "asks": {"command": "uvx", "args": ["asks"], "env": {"KEY": "${input:key}"}},
    "bare": {"command": "bare"},
    "off": {"command": "off", "args": [], "disabled": true},
    "remote": {"type": "http", "url": "https://example.com/mcp"},
  },
}
"""
TOML = """\
# mine
model = "x"

[mcp_servers.files]
command = "npx"
args = [ "-y", "server" ] # both
env = { TOKEN = "hunter2-is-long" }

[mcp_servers.bare]
command = 'bare'
"""
YAML_LIST = """\
# mine
mcpServers:
  - name: files
    command: npx   # the runner
    args:
      - -y
      - server
    env: {TOKEN: hunter2-is-long}
  - name: bare
    command: bare
"""
YAML_MAP = """\
extensions:
  files: {type: stdio, cmd: npx, args: [-y, server], envs: {TOKEN: hunter2-is-long}, enabled: true}
  bare:
    type: stdio
    cmd: bare
"""
OPENCODE = '{"mcp": {"files": {"type": "local", "command": ["npx", "-y", "server"]}}}'
NESTED = '{"mcpServers": {"files": {"transport": {"command": "npx", "args": ["-y", "server"]}}}}'
OLD_ZED = '{"context_servers": {"files": {"command": {"path": "npx", "args": ["-y", "server"]}}}}'


class Place:
    """A home with one configuration file, and everything that protecting it takes."""

    def __init__(self, directory: Path, name: str, text: str) -> None:
        self.path = directory / name
        self.path.write_bytes(text.encode())
        self.backups = Backups(directory / "state")
        self.machine = Machine(directory, directory, "linux", {})
        self.lockfile = directory / "avow.lock"

    def files(self) -> list[ClientFile]:
        return list(read_files(self.path, self.machine, every_entry=True))

    def plan(self, *names: str) -> Plan:
        return plan_protection(
            self.files(), launcher=LAUNCHER, lockfile=self.lockfile, backups=self.backups, names=names
        )

    def protect(self, *names: str) -> Plan:
        return self.carry_out(self.plan(*names))

    def unprotect(self, *names: str) -> Plan:
        return self.carry_out(plan_removal(self.files(), backups=self.backups, names=names))

    def carry_out(self, plan: Plan) -> Plan:
        for change in plan.changes:
            carry_out(change, self.backups)
        return plan

    @property
    def servers(self) -> dict[str, list[str]]:
        """How each server starts, as its client would."""
        machine = self.machine
        (file,) = read_files(self.path, machine, every_entry=True)
        assert file.document is not None
        return {server.name: self.words(server.location) for server in file.found.servers}

    def words(self, location: tuple[str | int, ...]) -> list[str]:
        (file,) = self.files()
        assert file.document is not None
        entry: Any = file.document.value
        for step in location:
            entry = entry[step]
        entry = entry.get("transport", entry)
        if isinstance(entry.get("command"), dict):
            entry = entry["command"]
        command = entry.get("command") or entry.get("cmd") or entry.get("path") or entry.get("url")
        return command if isinstance(command, list) else [command, *entry.get("args", [])]


def behind(place: Place, name: str, *words: str, env: tuple[str, ...] = ()) -> list[str]:
    variables = [word for variable in env for word in ("-e", variable)]
    return [*LAUNCHER, "run", "--lockfile", str(place.lockfile), "--name", name, *variables, "--", *words]


def test_servers_start_behind_avow_with_their_own_command_in_sight(tmp_path: Path) -> None:
    place = Place(tmp_path, "mcp.json", JSONC)

    plan = place.protect()

    assert place.servers == {
        "files": behind(place, "files", "npx", "-y", "server", env=("TOKEN",)),
        "asks": behind(place, "asks", "uvx", "asks", env=("KEY",)),
        "bare": behind(place, "bare", "bare"),
        "off": behind(place, "off", "off"),
        "remote": ["https://example.com/mcp"],
    }
    assert [(left.name, left.reason) for left in plan.untouched] == [
        ("remote", "it is reached over HTTP: put it behind `avow gateway`")
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mcp.json", JSONC),
        ("mcp.json", JSONC.replace("\n", "\r\n")),
        ("mcp.json", "\ufeff" + JSONC),
        ("config.toml", TOML),
        ("config.toml", TOML.replace("\n", "\r\n")),
        ("config.yaml", YAML_LIST),
        ("config.yaml", YAML_LIST.replace("\n", "\r\n")),
        ("config.yaml", YAML_MAP),
        ("opencode.json", OPENCODE),
        ("mcp.json", NESTED),
        ("settings.json", OLD_ZED),
    ],
)
def test_every_format_goes_there_and_back(tmp_path: Path, name: str, text: str) -> None:
    place = Place(tmp_path, name, text)

    place.protect()
    assert all(words[0] in (*LAUNCHER, "https://example.com/mcp") for words in place.servers.values())
    assert place.servers["files"][-3:] == ["npx", "-y", "server"]
    place.unprotect()

    assert place.path.read_bytes() == text.encode()
    assert not list(place.backups.directory.iterdir()), "a copy that may hold secrets goes away"


def test_names_that_look_like_options_are_not_taken_for_any(tmp_path: Path) -> None:
    servers = {"--": {"command": "x", "args": ["--", "y"], "env": {"--": "1", "-e": "2"}}}
    place = Place(tmp_path, "mcp.json", json.dumps({"servers": servers}))

    place.protect()

    assert place.servers["--"][4:] == ["--name=--", "--env=--", "--env=-e", "--", "x", "--", "y"]
    place.unprotect()
    assert json.loads(place.path.read_text()) == {"servers": servers}


def test_protecting_twice_is_protecting_once(tmp_path: Path) -> None:
    place = Place(tmp_path, "mcp.json", JSONC)
    place.protect()
    once = place.path.read_bytes()

    plan = place.protect()

    assert plan.changes == ()
    assert "it is protected already" in {left.reason for left in plan.untouched}
    assert place.path.read_bytes() == once


@pytest.mark.parametrize(
    ("name", "text"), [("mcp.json", JSONC), ("config.toml", TOML), ("c.yaml", YAML_LIST)]
)
def test_a_file_that_was_edited_since_keeps_the_edit(tmp_path: Path, name: str, text: str) -> None:
    place = Place(tmp_path, name, text)
    before = place.servers
    place.protect()
    place.path.write_bytes(place.path.read_bytes().replace(b"mine", b"mine, edited"))

    place.unprotect()

    assert place.servers == before
    assert b"mine, edited" in place.path.read_bytes()


def test_an_edited_file_is_undone_to_the_byte_except_for_arguments_we_had_to_add(tmp_path: Path) -> None:
    place = Place(tmp_path, "mcp.json", JSONC)
    place.protect()
    place.path.write_bytes(place.path.read_bytes().replace(b"mine", b"mine, edited"))

    place.unprotect()

    expected = JSONC.replace("mine", "mine, edited").replace(
        '{"command": "bare"}', '{"command": "bare", "args": []}'
    )
    assert place.path.read_text() == expected


def test_servers_can_be_protected_and_unprotected_one_by_one(tmp_path: Path) -> None:
    place = Place(tmp_path, "mcp.json", JSONC)

    place.protect("files")
    place.protect("bare")
    assert [name for name, words in place.servers.items() if words[0] == LAUNCHER[0]] == ["files", "bare"]
    place.unprotect("bare")
    assert [name for name, words in place.servers.items() if words[0] == LAUNCHER[0]] == ["files"]
    place.unprotect("files")

    assert place.path.read_text() == JSONC


def test_a_protected_file_that_was_edited_can_be_protected_further_and_undone(tmp_path: Path) -> None:
    place = Place(tmp_path, "mcp.json", JSONC)
    place.protect("files")
    place.path.write_bytes(place.path.read_bytes().replace(b"mine", b"mine, edited"))

    place.protect("asks")
    place.unprotect()

    assert place.path.read_text() == JSONC.replace("mine", "mine, edited")


def test_unprotecting_what_is_not_protected_changes_nothing(tmp_path: Path) -> None:
    place = Place(tmp_path, "mcp.json", JSONC)

    assert place.unprotect() == Plan((), ())
    assert place.path.read_text() == JSONC


def test_an_entry_that_names_a_lock_entry_is_left_to_its_author(tmp_path: Path) -> None:
    place = Place(tmp_path, "mcp.json", '{"servers": {"a": {"command": "avow", "args": ["run", "a"]}}}')

    assert place.protect().changes == ()
    plan = place.unprotect()

    assert plan.changes == ()
    assert [left.name for left in plan.untouched] == ["a"]


def test_the_diff_shows_the_change_and_no_value(tmp_path: Path) -> None:
    text = JSONC.replace('"-y",', f'"--token={SECRET}",')
    place = Place(tmp_path, "mcp.json", text)

    plan = place.plan("files")
    (change,) = plan.changes

    assert '-  "command": "npx",\n+  "command": "/usr/bin/avow",\n' in change.diff
    assert '   "env": {\n     "TOKEN": "***"\n' in change.diff
    assert SECRET not in change.diff + repr(plan)


def test_the_diff_obeys_no_escape_sequence_of_a_file_that_came_with_a_project(tmp_path: Path) -> None:
    place = Place(tmp_path, "mcp.json", json.dumps({"servers": {"a\u202e": {"command": "x\u009b2J\x1b[2J"}}}))

    (change,) = place.plan().changes

    assert not set("\x1b\u009b\u202e") & set(change.diff)


def test_a_backup_is_for_its_owner_alone_and_permissions_stay(tmp_path: Path) -> None:
    place = Place(tmp_path, "mcp.json", JSONC)
    place.path.chmod(0o640)

    place.protect()

    (backup,) = place.backups.directory.iterdir()
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.backups.directory.stat().st_mode) == 0o700
    assert stat.S_IMODE(place.path.stat().st_mode) == 0o640


def test_a_damaged_backup_is_an_error_and_the_file_stays(tmp_path: Path) -> None:
    place = Place(tmp_path, "mcp.json", JSONC)
    place.protect()
    protected = place.path.read_bytes()
    (backup,) = place.backups.directory.iterdir()
    for damage in (b"{", b"{}", backup.read_bytes().replace(b'"digest": "sha256:', b'"digest": "sha256:0')):
        backup.write_bytes(damage)
        with pytest.raises(StorageError, match="is damaged"):
            place.unprotect()

    assert place.path.read_bytes() == protected


def test_a_file_that_changes_while_somebody_reads_the_diff_is_not_overwritten(tmp_path: Path) -> None:
    place = Place(tmp_path, "mcp.json", JSONC)
    (change,) = place.plan().changes
    place.path.write_text("{}")

    with pytest.raises(StorageError, match="changed in the meantime"):
        carry_out(change, place.backups)

    assert place.path.read_text() == "{}"
    assert not place.backups.directory.exists()


def test_a_name_that_nobody_configured_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'none'") as caught:
        Place(tmp_path, "mcp.json", JSONC).protect("none")

    assert "files" in caught.value.hint


def test_a_key_that_is_there_twice_is_never_edited(tmp_path: Path) -> None:
    place = Place(tmp_path, "mcp.json", '{"servers": {"a": {"command": "x"}, "a": {"command": "y"}}}')

    with pytest.raises(MalformedInputError, match="twice"):
        place.protect()


def test_the_other_clients_and_managed_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor/mcp.json").write_text('{"mcpServers": {"a": {"command": "x"}}}')
    (tmp_path / ".kiro/settings").mkdir(parents=True)
    (tmp_path / ".kiro/settings/mcp.json").write_text('{"mcpServers": {"b": {"command": "x"}}}')
    (tmp_path / ".codex").mkdir()
    files = list(read_files(None, Machine(tmp_path, tmp_path, "linux", {}), every_entry=True))

    plan = plan_protection(
        files, launcher=LAUNCHER, lockfile=tmp_path / "l", backups=Backups(tmp_path / "s"), client="kiro"
    )

    assert [change.servers for change in plan.changes] == [("b",)]
    assert not list((tmp_path / ".codex").iterdir())


def test_the_program_that_clients_are_told_to_start_exists() -> None:
    program, *arguments = this_program()

    assert Path(program).is_absolute()
    assert os.access(program, os.X_OK)
    assert arguments in ([], ["-P", "-m", "avow"])


names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
entries = st.fixed_dictionaries(
    {"command": names.filter(bool)},
    optional={
        "args": st.lists(names, max_size=3),
        "env": st.dictionaries(st.sampled_from(["A", "B"]), names, max_size=2),
        "note": names,
    },
)


@given(
    st.dictionaries(names, entries, min_size=1, max_size=3),
    st.sampled_from([None, 2, "\t"]),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_protect_then_unprotect_is_the_identity_on_bytes(
    tmp_path_factory: pytest.TempPathFactory, servers: Any, indent: Any, ascii_only: bool
) -> None:
    """And in between every server starts behind Avow with exactly its own words."""
    text = json.dumps({"mcpServers": servers, "other": SECRET}, indent=indent, ensure_ascii=ascii_only)
    place = Place(tmp_path_factory.mktemp("home"), "mcp.json", text)

    place.protect()
    assert {name: words[words.index("--") + 1 :] for name, words in place.servers.items()} == {
        name: [entry["command"], *entry.get("args", [])] for name, entry in servers.items()
    }
    place.unprotect()

    assert place.path.read_bytes() == text.encode()
