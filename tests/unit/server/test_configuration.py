"""A server that declares what it needs: sent with its introduction, and calls refused until it is there."""

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types
import pytest
from fastmcp import FastMCP
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from avow.core.configuration.model import Binding, Configuration, Group, GroupRule, Parameter, Where
from avow.core.configuration.wire import find_declaration, read_schema
from avow.core.snapshot import Era
from avow.errors import DeclarationError
from avow.server import ServerConfiguration, argument, declare, describe_configuration, variable
from avow.server.inprocess import Caller, Conversation, RefusedError, converse

SECRET = "ghp_" + "s3cret" * 6
FRAMEWORKS = ("official", "lowlevel", "fastmcp")


class Account(BaseModel):
    user: str
    password: SecretStr


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="TESTED_", env_nested_delimiter="__")

    token: SecretStr = Field(description="A token", json_schema_extra={"pattern": "^ghp_[a-z0-9]{36}$"})
    depth: int = Field(3, ge=1, le=9)
    tags: list[str] = []
    account: Account


NEEDED = ["TESTED_TOKEN", "TESTED_ACCOUNT__USER", "TESTED_ACCOUNT__PASSWORD"]


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("TESTED_")]:
        monkeypatch.delenv(name)


def complete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESTED_TOKEN", SECRET)
    monkeypatch.setenv("TESTED_ACCOUNT__USER", "ann")
    monkeypatch.setenv("TESTED_ACCOUNT__PASSWORD", SECRET)


def server(framework: str, configuration: Any = Settings) -> Any:
    """A server with one tool that tells how long its token is."""
    if framework == "lowlevel":
        return lowlevel(configuration)
    mcp: Any = (
        FastMCP("tested", version="1")
        if framework == "fastmcp"
        else MCPServer("tested", version="1", log_level="CRITICAL")
    )
    avowed = declare(mcp, configuration=configuration)

    @mcp.tool()  # type: ignore[untyped-decorator]
    def measure() -> int:
        return len(avowed.configuration.load(Settings).token.get_secret_value())

    return mcp


def lowlevel(configuration: Any) -> Server[Any]:
    async def list_tools(_: Any, __: Any) -> mcp_types.ListToolsResult:
        tool = mcp_types.Tool(name="measure", input_schema={"type": "object"})
        return mcp_types.ListToolsResult(tools=[tool])

    async def call_tool(_: Any, __: Any) -> mcp_types.CallToolResult:
        length = len(avowed.configuration.load(Settings).token.get_secret_value())
        return mcp_types.CallToolResult(content=[mcp_types.TextContent(type="text", text=str(length))])

    mcp: Server[Any] = Server("tested", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
    avowed = declare(mcp, configuration=configuration)
    return mcp


@asynccontextmanager
async def talk(mcp: Any, era: Era) -> AsyncIterator[Conversation]:
    async with converse(mcp, era, Caller(), seconds=20) as conversation:
        yield conversation


async def refusal(conversation: Conversation, method: str = "tools/call", **params: Any) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        await conversation.request(method, **(params or {"name": "measure", "arguments": {}}))
    return caught.value


@pytest.mark.parametrize("era", Era)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_declaration_comes_with_the_introduction(framework: str, era: Era) -> None:
    """At the top of the result, and where a typed client of that era keeps it."""

    async def test() -> None:
        async with talk(server(framework), era) as conversation:
            said = conversation.introduction
        capabilities = said["capabilities"]
        holder, member = (
            ("experimental", "configurationSchema")
            if era is Era.LEGACY
            else ("extensions", "dev.avow/configuration")
        )
        assert said["configurationSchema"] == capabilities[holder][member] == find_declaration(said)
        assert said["configurationSchema"] == ServerConfiguration(Settings).document
        assert [one.key for one in read_schema(said["configurationSchema"])] == [
            "TESTED_TOKEN",
            "TESTED_DEPTH",
            "TESTED_TAGS",
            "TESTED_ACCOUNT__USER",
            "TESTED_ACCOUNT__PASSWORD",
        ]
        assert "signature" in capabilities

    anyio.run(test)


@pytest.mark.parametrize("era", Era)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_without_it_a_server_lists_its_tools_and_refuses_calls(
    framework: str, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One error names everything that is missing; once it is there, the same process serves the call."""

    async def test() -> None:
        async with talk(server(framework), era) as conversation:
            listed = await conversation.request("tools/list")
            assert [tool["name"] for tool in listed["tools"]] == ["measure"]

            error = await refusal(conversation)
            assert error.code == -32010
            assert error.data == {
                "avow": {
                    "reason": "configuration",
                    "kind": "tool",
                    "name": "measure",
                    "server": "tested",
                    "missing": [
                        {"name": "TESTED_TOKEN", "kind": "env", "sensitive": True},
                        {"name": "TESTED_ACCOUNT__USER", "kind": "env", "sensitive": False},
                        {"name": "TESTED_ACCOUNT__PASSWORD", "kind": "env", "sensitive": True},
                    ],
                    "next": "avow configure tested",
                }
            }
            assert error.message == f"avow: tested is not configured: {', '.join(NEEDED)} are not set"

            complete(monkeypatch)
            answer = await conversation.request("tools/call", name="measure", arguments={})
            assert answer["content"][0]["text"] == str(len(SECRET))

    anyio.run(test)


@pytest.mark.parametrize(
    ("method", "params", "kind"),
    [
        ("prompts/get", {"name": "p"}, "prompt"),
        ("resources/read", {"uri": "note://a"}, "resource"),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "p"}, "argument": {}}, "completion"),
    ],
)
def test_everything_that_may_need_it_is_refused(method: str, params: Any, kind: str) -> None:
    async def test() -> None:
        mcp: Any = server("official")
        mcp.prompt(name="p")(lambda: "")
        mcp.resource("note://a", name="note")(lambda: "")
        async with talk(mcp, Era.LEGACY) as conversation:
            error = await refusal(conversation, method, **params)
            assert error.data["avow"]["reason"] == "configuration"
            assert error.data["avow"]["kind"] == kind
            assert error.data["avow"].get("name") == next(iter(params.values())) or kind == "completion"

    anyio.run(test)


def refused(configuration: ServerConfiguration) -> Any:
    """The facts of the refusal, in which no value may be."""
    with pytest.raises(MCPError) as caught:
        configuration.require()
    error = caught.value.error
    assert SECRET not in repr(error)
    assert caught.value.__cause__ is None
    assert error.data is not None
    return error.data["avow"]


def test_a_value_that_breaks_a_rule_is_named_by_the_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    complete(monkeypatch)
    monkeypatch.setenv("TESTED_TOKEN", f"{SECRET}!")
    monkeypatch.setenv("TESTED_DEPTH", "12")

    facts = refused(ServerConfiguration(Settings))
    assert facts["missing"] == []
    assert facts["invalid"] == [
        {"name": "TESTED_DEPTH", "kind": "env", "sensitive": False, "rule": "TESTED_DEPTH must be at most 9"}
    ]
    monkeypatch.delenv("TESTED_DEPTH")
    assert refused(ServerConfiguration(Settings))["invalid"][0]["rule"] == (
        "TESTED_TOKEN must match the pattern ^ghp_[a-z0-9]{36}$"
    )


def test_text_that_should_be_json_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    complete(monkeypatch)
    monkeypatch.setenv("TESTED_TAGS", f"[{SECRET}")

    facts = refused(ServerConfiguration(Settings))

    assert facts["invalid"][0]["name"] == "TESTED_TAGS"


def test_what_only_the_model_knows_is_told_without_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd(BaseSettings):
        tested_one: str = "a"
        tested_two: int = 1

        @model_validator(mode="after")
        def check(self) -> "Odd":
            raise ValueError(f"{self.tested_one} is bad")

    monkeypatch.setenv("TESTED_ONE", SECRET)

    assert refused(ServerConfiguration(Odd))["violated"] == ["Odd refuses its values (value_error)"]
    monkeypatch.setenv("TESTED_TWO", "1_0_x")
    assert refused(ServerConfiguration(Odd))["invalid"][0]["rule"] == "TESTED_TWO must be a whole number"
    monkeypatch.setenv("TESTED_TWO", "")
    assert refused(ServerConfiguration(Odd))["invalid"][0]["rule"]


def test_settings_from_another_source_do_as_well(tmp_path: Any) -> None:
    file = tmp_path / "settings.env"
    file.write_text(f"TESTED_TOKEN={SECRET}\nTESTED_ACCOUNT__USER=ann\nTESTED_ACCOUNT__PASSWORD=x\n")

    class FromFile(Settings):
        model_config = SettingsConfigDict(env_prefix="TESTED_", env_nested_delimiter="__", env_file=str(file))

    assert ServerConfiguration(FromFile).load(FromFile).account.user == "ann"


def test_a_value_of_a_file_that_breaks_a_rule_is_told(tmp_path: Any) -> None:
    file = tmp_path / "settings.env"
    file.write_text("TESTED_DEPTH=many\n")

    class FromFile(BaseSettings):
        model_config = SettingsConfigDict(env_prefix="TESTED_", env_file=str(file))

        depth: int

    rule = refused(ServerConfiguration(FromFile))["invalid"][0]["rule"]
    assert rule == "TESTED_DEPTH is refused (int_parsing)"


def test_what_is_declared_by_hand_is_read_from_the_command_line_and_the_environment(tmp_path: Any) -> None:
    configuration = ServerConfiguration(
        argument("directory", "Where to look", type="path", multiple=True),
        argument("--depth", type="integer", default=2),
        variable("TESTED_MODE", choices=("fast", "slow"), type="enum", required=False),
        arguments=[str(tmp_path), "b", "--depth", "3"],
        environment={"TESTED_MODE": "fast"},
    )

    assert configuration.values("directory") == (str(tmp_path), "b")
    assert configuration["--depth"] == 3
    assert configuration.values("--depth") == (3,)
    assert configuration["TESTED_MODE"] == "fast"
    with pytest.raises(DeclarationError, match="'unheard' was not declared"):
        configuration["unheard"]
    with pytest.raises(DeclarationError, match="Settings was not declared"):
        configuration.load(Settings)


def test_what_is_missing_by_hand_is_told_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["server", "--depth", "x"])
    configuration = ServerConfiguration(
        Settings,
        argument("directory"),
        argument("--depth", type="integer", required=False),
        variable("TESTED_KEY"),
        Parameter("header", Binding(Where.HEADER, "X-Key"), required=True),
    )

    facts = refused(configuration)

    assert [one["name"] for one in facts["missing"]] == [*NEEDED, "directory", "TESTED_KEY"]
    assert [one["kind"] for one in facts["missing"]][-2:] == ["argument", "env"]
    assert facts["invalid"][0]["rule"] == "--depth must be a whole number"


def test_optional_values_and_defaults() -> None:
    configuration = ServerConfiguration(
        variable("TESTED_A", required=False), variable("TESTED_B", default="b"), arguments=[], environment={}
    )

    assert configuration["TESTED_A"] is None
    assert configuration.values("TESTED_A") == ()
    assert configuration["TESTED_B"] == "b"


def test_a_group_is_held_to_its_rule(tmp_path: Any) -> None:
    parts = [variable(name, required=False) for name in ("TESTED_TOKEN", "TESTED_USER", "TESTED_FILE")]
    group = Group(GroupRule.ONE_OF, (("TESTED_TOKEN",), ("TESTED_USER",)))
    needs = Configuration.of(parts, [group])

    none = refused(ServerConfiguration(needs, arguments=[], environment={}))
    assert [one["name"] for one in none["missing"]] == ["TESTED_TOKEN", "TESTED_USER"]
    both = {"TESTED_TOKEN": "a", "TESTED_USER": "b"}
    assert refused(ServerConfiguration(needs, arguments=[], environment=both))["violated"] == [
        "only one of these may be set: TESTED_TOKEN, or TESTED_USER"
    ]


def test_paths_are_looked_at(tmp_path: Any) -> None:
    (tmp_path / "file").write_text("")
    from avow.core.configuration.model import PathKind

    def needs(path: str) -> ServerConfiguration:
        place = argument("place", type="path", path_kind=PathKind.DIRECTORY, must_exist=True)
        return ServerConfiguration(place, arguments=[path], environment={})

    needs(str(tmp_path)).require()
    assert refused(needs(str(tmp_path / "file")))["invalid"][0]["rule"] == "place must be a directory"
    assert refused(needs("/dev/null"))["invalid"][0]["rule"] == "place must be a directory"
    assert refused(needs(str(tmp_path / "no")))["invalid"][0]["rule"] == "place must be a path that exists"
    assert refused(needs("~no-such-user/x"))["invalid"][0]["rule"] == "place must be a path that exists"


def test_the_default_of_a_secret_is_told_to_nobody() -> None:
    """It came from the environment of whoever started the server, or from its code."""

    class Usual(BaseSettings):
        api_key: str = "real-secret-77"

    by_hand = [variable("API_TOKEN", "", secret=True, default="real-secret-78")]
    told = [ServerConfiguration.of(one).document for one in (Usual, by_hand)]

    assert "real-secret" not in json.dumps(told)
    assert all("It has a default." in json.dumps(one) for one in told)


def test_what_the_schema_has_no_member_for_is_said_in_the_description() -> None:
    class Described(BaseSettings):
        depth: int = Field(3, ge=1, le=9, description="How deep")
        token: SecretStr | None = Field(None, validation_alias="TOKEN", title="The token")

    (depth, token) = ServerConfiguration(Described).document["environmentVariables"]

    assert depth["description"] == "How deep At least 1. At most 9."
    assert token["description"] == "The token"


@pytest.mark.parametrize("wrong", [5, object, BaseModel, "TOKEN"])
def test_what_is_no_configuration_is_refused(wrong: Any) -> None:
    with pytest.raises(DeclarationError):
        ServerConfiguration.of([wrong])


def test_the_declaration_is_printed_without_starting(capsys: pytest.CaptureFixture[str]) -> None:
    mcp = MCPServer("tested", log_level="CRITICAL")
    avowed = declare(mcp, configuration=Settings)

    for configuration in (Settings, avowed, [Settings]):
        with pytest.raises(SystemExit) as left:
            describe_configuration(configuration, ["--describe-configuration"])
        assert left.value.code == 0
        assert json.loads(capsys.readouterr().out) == ServerConfiguration(Settings).document
    describe_configuration(Settings, ["--other"])
    assert capsys.readouterr().out == ""


def test_a_server_that_needs_nothing_says_nothing() -> None:
    mcp = MCPServer("tested", log_level="CRITICAL")
    avowed = declare(mcp)

    async def test() -> None:
        async with talk(mcp, Era.MODERN) as conversation:
            assert find_declaration(conversation.introduction) is None

    anyio.run(test)
    avowed.configuration.require()
