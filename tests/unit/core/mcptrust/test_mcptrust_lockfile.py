"""Reading `mcp-lock.json`: both shapes, and nothing that two readers would understand differently."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from avow.core.artifact import Artifact
from avow.core.canonical import JsonObject, digest_of
from avow.core.mcptrust import MCPTrustLockfile, is_mcptrust, loads_mcptrust
from avow.core.mcptrust.hashes import template_hash
from avow.core.mcptrust.lockfile import LockedPrompt, LockedTemplate, LockedTool
from avow.core.target import StdioTarget
from avow.errors import LockfileError

HASH = str(digest_of(b"x"))
TOOL = {"description_hash": HASH, "input_schema_hash": "", "risk_level": "LOW"}


def version_2() -> JsonObject:
    return {"version": "2.0", "server_command": "npx -y 'my server' /tmp", "tools": {"t1": dict(TOOL)}}


def version_3() -> JsonObject:
    template = {"uriTemplate": "db://{id}", "templateHash": template_hash("db://{id}", "text/plain")}
    return {
        "lockFileVersion": "3.0",
        "meta": {"generator": "mcptrust dev", "updatedAt": "2026-01-01T00:00:00Z"},
        "server": {"name": "demo"},
        "prompts": {
            "definitions": {
                "p1": {"argumentsHash": HASH, "descriptionHash": HASH},
                "p2": {"argumentsHash": HASH},
            }
        },
        "resources": {"templates": [{**template, "nameHash": HASH, "mimeType": "text/plain"}]},
        "tools": {"t1": dict(TOOL)},
    }


def loaded(document: JsonObject) -> MCPTrustLockfile:
    return loads_mcptrust(json.dumps(document).encode())


def test_version_2_holds_tools_and_a_command() -> None:
    locked = loaded(version_2())

    assert locked == MCPTrustLockfile(
        "2.0", {"t1": LockedTool(HASH, "", "LOW")}, command="npx -y 'my server' /tmp"
    )
    assert locked.target == StdioTarget("npx", ("-y", "my server", "/tmp"))


def test_version_1_has_the_same_shape() -> None:
    assert loaded({**version_2(), "version": "1.0"}).version == "1.0"


def test_version_3_holds_prompts_and_templates_and_no_command() -> None:
    locked = loaded(version_3())

    assert locked == MCPTrustLockfile(
        "3.0",
        {"t1": LockedTool(HASH, "", "LOW")},
        {"p1": LockedPrompt(HASH, HASH), "p2": LockedPrompt(HASH, "")},
        {"db://{id}": LockedTemplate(template_hash("db://{id}", "text/plain"), HASH, "")},
        server="demo",
    )
    assert locked.target is None


@pytest.mark.parametrize(
    ("pin", "artifact"),
    [
        (
            {"type": "npm", "name": "demo", "version": "1.0.0", "integrity": "sha512-AA=="},
            Artifact("npm", "demo", "1.0.0", "sha512-AA==", pinned=True),
        ),
        ({"type": "npm", "name": "demo", "version": "1.0.0"}, Artifact("npm", "demo", "1.0.0", pinned=True)),
        ({"type": "oci", "image": "img", "digest": HASH}, Artifact("oci", "img", HASH, HASH, pinned=True)),
        ({"type": "local"}, None),
        (None, None),
    ],
)
def test_a_pinned_package_is_kept(pin: JsonObject | None, artifact: Artifact | None) -> None:
    assert loaded({**version_2(), "artifact": pin}).artifact == artifact


def test_a_command_with_an_open_quote_cannot_be_started() -> None:
    with pytest.raises(LockfileError, match="server_command"):
        _ = loaded({**version_2(), "server_command": "npx 'oops"}).target


def at(*path: Any, to: Any) -> Callable[[JsonObject], None]:
    def edit(document: JsonObject) -> None:
        place: Any = document
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = to

    return edit


@pytest.mark.parametrize(
    ("edit", "complaint"),
    [
        pytest.param(at("lockFileVersion", to="4.0"), "version '4.0'", id="newer"),
        pytest.param(at("lockFileVersion", to=3), "version 3", id="version is no text"),
        pytest.param(at("version", to="2.0"), "version '3.0'", id="two versions"),
        pytest.param(at("Tools", to={}), "'Tools'", id="Tools beside tools"),
        pytest.param(at("tools", to=None), "'tools'", id="no tools"),
        pytest.param(at("tools", "t1", to=1), "'t1'", id="a tool is no object"),
        pytest.param(
            at("tools", "t1", "Description_Hash", to=HASH), "'Description_Hash'", id="case in a tool"
        ),
        pytest.param(
            at("tools", "t1", "description_hash", to=""), "description_hash", id="empty description hash"
        ),
        pytest.param(at("tools", "t1", "input_schema_hash", to="sha256:00"), "not a hash", id="short hash"),
        pytest.param(
            at("tools", "t1", "input_schema_hash", to=None), "input_schema_hash", id="hash is no text"
        ),
        pytest.param(at("tools", "t1", "risk_level", to="low"), "risk_level", id="unknown risk"),
        pytest.param(at("server", to={}), "'name'", id="no server name"),
        pytest.param(at("server", "artifact", to=[]), "'artifact'", id="artifact is no object"),
        pytest.param(at("prompts", to={}), "'definitions'", id="no prompts"),
        pytest.param(
            at("prompts", "definitions", "p1", "argumentsHash", to=""), "argumentsHash", id="prompt"
        ),
        pytest.param(
            at("prompts", "definitions", "p1", "descriptionhash", to=HASH), "descriptionhash", id="case"
        ),
        pytest.param(at("resources", "templates", to={}), "'templates'", id="templates are no list"),
        pytest.param(at("resources", "templates", 0, to=1), "not an object", id="a template is no object"),
        pytest.param(
            at("resources", "templates", 0, "uriTemplate", to="x://"), "does not fit", id="edited address"
        ),
        pytest.param(at("resources", "templates", 0, "mimeType", to="x"), "does not fit", id="edited type"),
        pytest.param(at("resources", "templates", 0, "mimeType", to=1), "'mimeType'", id="type is no text"),
    ],
)
def test_a_file_of_another_shape_is_refused(edit: Callable[[JsonObject], None], complaint: str) -> None:
    document = version_3()
    edit(document)

    with pytest.raises(LockfileError, match=complaint):
        loaded(document)


def test_a_template_that_is_there_twice_is_refused() -> None:
    document = version_3()
    document["resources"]["templates"] *= 2

    with pytest.raises(LockfileError, match="twice"):
        loaded(document)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"{", "not valid"),
        (b"[]", "not a lockfile of MCPTrust"),
        (b'{"lockfileVersion": 1, "servers": {}}', "not a lockfile of MCPTrust"),
        (b'{"version": "2.0", "version": "2.0", "tools": {}}', "twice"),
    ],
)
def test_something_else_is_refused(data: bytes, complaint: str) -> None:
    with pytest.raises(LockfileError, match=complaint):
        loads_mcptrust(data)


def test_its_lockfiles_can_be_told_from_ours() -> None:
    assert is_mcptrust(version_2())
    assert is_mcptrust(version_3())
    assert not is_mcptrust({"lockfileVersion": 1, "servers": {}})
    assert not is_mcptrust(None)
