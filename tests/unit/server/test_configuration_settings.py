"""What a pydantic-settings class declares, held against what pydantic-settings really reads."""

from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import (
    AliasChoices,
    AliasPath,
    AnyHttpUrl,
    BaseModel,
    ConfigDict,
    DirectoryPath,
    Field,
    FilePath,
    RootModel,
    Secret,
    SecretStr,
)
from pydantic_settings import BaseSettings, SettingsConfigDict

from avow.core.configuration.model import Parameter, PathKind, ValueType
from avow.server.configuration_settings import settings_fields


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Account(BaseModel):
    user: str
    password: SecretStr


class Database(BaseModel):
    host: str = Field("localhost", description="Where the database is")
    port: int = Field(ge=1, le=65535)
    account: Account


class Strange:
    """A type that JSON Schema has no word for."""


def declared(settings: type[BaseModel]) -> dict[str, Parameter]:
    return {one.parameter.key: one.parameter for one in settings_fields(settings)}


def test_types_defaults_and_rules_are_those_of_the_fields() -> None:
    class Settings(BaseSettings):
        text: str = Field(description="Some text", title="Text", pattern="^a", examples=["abc", 1, ["x"]])
        whole: Annotated[int, Field(gt=0, lt=10)] = 5
        number: float | None = Field(None, ge=0.5)
        flag: bool = False
        address: AnyHttpUrl = AnyHttpUrl("https://example.com")
        directory: DirectoryPath
        file: FilePath | None = None
        path: Path = Path("/srv")
        word: Literal["a", "b"] = "a"
        one: Literal[True] = True
        color: Color = Color.RED
        either: int | str = 3

    found = declared(Settings)

    assert found["TEXT"].required
    assert (found["TEXT"].description, found["TEXT"].title) == ("Some text", "Text")
    assert (found["TEXT"].pattern, found["TEXT"].examples) == ("^a", ("abc", "1"))
    assert (found["WHOLE"].type, found["WHOLE"].default) == (ValueType.INTEGER, 5)
    assert (found["WHOLE"].minimum, found["WHOLE"].maximum) == (1, 9)
    assert (found["NUMBER"].type, found["NUMBER"].minimum, found["NUMBER"].required) == (
        ValueType.NUMBER,
        0.5,
        False,
    )
    assert (found["FLAG"].type, found["FLAG"].default) == (ValueType.BOOLEAN, False)
    assert (found["ADDRESS"].type, found["ADDRESS"].default) == (ValueType.URL, "https://example.com/")
    assert (found["DIRECTORY"].type, found["DIRECTORY"].path_kind) == (ValueType.PATH, PathKind.DIRECTORY)
    assert found["DIRECTORY"].must_exist
    assert (found["FILE"].path_kind, found["FILE"].required) == (PathKind.FILE, False)
    assert (found["PATH"].default, found["PATH"].must_exist) == ("/srv", False)
    assert (found["WORD"].type, found["WORD"].choices) == (ValueType.ENUM, ("a", "b"))
    assert found["ONE"].choices == ("true",)
    assert (found["COLOR"].choices, found["COLOR"].default) == (("red", "blue"), "red")
    assert found["EITHER"].type is ValueType.STRING


def test_secrets_are_secret_and_their_defaults_stay_at_home() -> None:
    class Settings(BaseSettings):
        token: SecretStr = SecretStr("built-in")
        maybe: SecretStr | None = None
        key: Secret[Annotated[str, Field(pattern="^k")]]

    found = declared(Settings)

    assert all(one.secret for one in found.values())
    assert all(one.default is None for one in found.values())
    assert found["KEY"].pattern == "^k"
    assert "built-in" not in repr(found)


def test_what_the_environment_gives_as_json_is_declared_as_json() -> None:
    class Inner(BaseModel):
        a: int

    class Settings(BaseSettings):
        tags: list[str] = Field([], description="Tags.")
        limits: dict[str, int] | None = None
        inner: Inner
        roots: RootModel[list[str]] = RootModel(["a"])

    found = declared(Settings)

    assert (found["TAGS"].type, found["TAGS"].description) == (ValueType.STRING, "Tags. A JSON array.")
    assert found["TAGS"].pattern == r"^\s*\["
    assert found["LIMITS"].description == "A JSON object."
    assert (found["INNER"].description, found["INNER"].required) == ("A JSON object.", True)
    assert found["ROOTS"].description == "A JSON array."


def test_a_type_without_a_json_schema_is_text() -> None:
    class Settings(BaseSettings):
        model_config = SettingsConfigDict(arbitrary_types_allowed=True)

        strange: Strange
        token: SecretStr

    found = declared(Settings)

    assert found["STRANGE"].type is ValueType.STRING
    assert found["TOKEN"].secret


class Everything(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="APP_", env_nested_delimiter="__")

    name: str
    org: str = Field(validation_alias=AliasChoices("ORG", "GITHUB_ORG"))
    region: str = Field(alias="REGION")
    first: str = Field(validation_alias=AliasPath("NAMES", 0))
    database: Database
    spare: Database | None = None


class Named(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="APP_", populate_by_name=True, env_prefix_target="all", case_sensitive=True
    )

    org: str = Field(validation_alias="Org")


class Ignoring(BaseSettings):
    model_config = SettingsConfigDict(validate_by_alias=False, validate_by_name=True)

    org: str = Field(validation_alias="IGNORED")


class Shallow(BaseSettings):
    model_config = SettingsConfigDict(env_nested_delimiter="_", env_nested_max_split=1)

    database: Database
    api_key: str


class Ambiguous(BaseSettings):
    """The delimiter is in a name: pydantic-settings would take `INNER_API_KEY` apart."""

    class Inner(BaseModel):
        api_key: str

    model_config = SettingsConfigDict(env_nested_delimiter="_")

    inner: Inner


VALUES: dict[type[BaseSettings], dict[str, str]] = {
    Everything: {
        "APP_NAME": "a",
        "ORG": "b",
        "REGION": "c",
        "NAMES": '["d"]',
        "APP_DATABASE__HOST": "e",
        "APP_DATABASE__PORT": "5",
        "APP_DATABASE__ACCOUNT__USER": "f",
        "APP_DATABASE__ACCOUNT__PASSWORD": "g",
        "APP_SPARE__HOST": "h",
        "APP_SPARE__PORT": "6",
        "APP_SPARE__ACCOUNT__USER": "i",
        "APP_SPARE__ACCOUNT__PASSWORD": "j",
    },
    Named: {"APP_Org": "a"},
    Ignoring: {"ORG": "a"},
    Shallow: {
        "DATABASE_HOST": "a",
        "DATABASE_PORT": "5",
        "DATABASE_ACCOUNT": '{"user": "b", "password": "c"}',
        "API_KEY": "d",
    },
    Ambiguous: {"INNER": '{"api_key": "a"}'},
}


@pytest.mark.parametrize("settings", VALUES, ids=lambda settings: settings.__name__)
def test_the_declared_variables_are_those_that_are_read(
    settings: type[BaseSettings], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is declared, all of them together fill the settings, and without one that is required none do."""
    assert set(declared(settings)) == set(VALUES[settings])
    for name, value in VALUES[settings].items():
        monkeypatch.setenv(name, value)
    settings()
    for name, parameter in declared(settings).items():
        if parameter.required:
            with monkeypatch.context() as without:
                without.delenv(name)
                with pytest.raises(ValueError, match=r"."):
                    settings()


def test_any_of_several_aliases_does() -> None:
    assert declared(Everything)["ORG"].aliases == ("GITHUB_ORG",)
    assert declared(Named)["APP_Org"].aliases == ("APP_org",)


def test_a_nested_model_that_may_be_left_out_requires_nothing() -> None:
    found = declared(Everything)

    assert found["APP_DATABASE__PORT"].required
    assert not found["APP_DATABASE__HOST"].required
    assert not found["APP_SPARE__PORT"].required
    assert found["APP_DATABASE__HOST"].description == "Where the database is"
    assert found["APP_SPARE__ACCOUNT__PASSWORD"].secret


def test_models_inside_each_other_without_end_are_cut() -> None:
    class Tree(BaseModel):
        model_config = ConfigDict(title="Tree")

        label: str = ""
        left: "Tree | None" = None

    class Settings(BaseSettings):
        model_config = SettingsConfigDict(env_nested_delimiter="__")

        tree: Tree

    found = declared(Settings)

    assert found["TREE__LEFT__LEFT__LABEL"].type is ValueType.STRING
    assert len(found) < 20


def test_errors_are_found_by_whatever_name_pydantic_uses() -> None:
    (org,) = (one for one in settings_fields(Everything) if one.parameter.key == "ORG")
    assert org.locations == {("ORG",), ("GITHUB_ORG",), ("org",)}


def test_a_union_of_models_is_one_text() -> None:
    class Cat(BaseModel):
        kind: Literal["cat"]

    class Dog(BaseModel):
        kind: Literal["dog"]

    class Settings(BaseSettings):
        model_config = SettingsConfigDict(env_nested_delimiter="__")

        pet: Annotated[Cat | Dog, Field(discriminator="kind")]
        other: Any = None

    assert set(declared(Settings)) == {"PET", "OTHER"}
