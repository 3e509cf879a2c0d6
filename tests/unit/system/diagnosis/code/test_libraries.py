"""Libraries that read variables for a program: settings, schemas, readers."""

from pathlib import Path

import pytest

from avow.core.configuration.model import ValueType
from small_packages import fact, needed, read_python, read_script


def test_settings_require_what_has_no_default(tmp_path: Path) -> None:
    facts = read_python(
        tmp_path,
        """
        from pathlib import Path
        from pydantic import AliasChoices, Field, SecretStr
        from pydantic_settings import BaseSettings, SettingsConfigDict

        class Settings(BaseSettings):
            model_config = SettingsConfigDict(env_prefix="SMALL_")

            token: SecretStr = Field(description="The token of the account")
            folder: Path
            port: int = 8080
            region: str | None = None
            account: str = Field(validation_alias=AliasChoices("ACCOUNT", "ACCOUNT_NAME"))

        def main():
            settings = Settings()
        """,
    )

    assert needed(facts) == ["SMALL_TOKEN", "SMALL_FOLDER", "ACCOUNT", "ACCOUNT_NAME"]
    assert fact(facts, "SMALL_TOKEN").parameter.description == "The token of the account"
    assert fact(facts, "SMALL_FOLDER").parameter.type is ValueType.PATH
    assert fact(facts, "SMALL_PORT").parameter.default == "8080"


@pytest.mark.parametrize(
    ("imported", "read"),
    [
        ("from decouple import config", 'config("API_KEY")'),
        ("from environs import Env\nenv = Env()", 'env.str("API_KEY")'),
        ("from starlette.config import Config\nconfig = Config()", 'config("API_KEY")'),
    ],
)
def test_readers_require_what_has_no_default(tmp_path: Path, imported: str, read: str) -> None:
    with_default = read.replace(")", ', default="x")').replace("API_KEY", "OTHER")

    facts = read_python(tmp_path, f"{imported}\ndef main():\n    {read}\n    {with_default}\n")

    assert needed(facts) == ["API_KEY"]
    assert fact(facts, "OTHER").parameter.default == "x"


@pytest.mark.parametrize(
    "read",
    [
        "const env = schema.parse(process.env);",
        "const result = schema.safeParse(process.env); if (!result.success) { process.exit(1) }",
        "const env = schema.parse({ API_URL: process.env.API_URL, PORT: process.env.PORT });",
    ],
)
def test_a_schema_requires_what_is_not_optional(tmp_path: Path, read: str) -> None:
    facts = read_script(
        tmp_path,
        f"""
        import {{ z }} from "zod";
        const schema = z.object({{
          API_URL: z.string().url().describe("Where the service is"),
          PORT: z.coerce.number().default(3000),
          EXTRA: z.string().optional(),
        }});
        {read}
        """,
    )

    assert needed(facts) == ["API_URL"]
    assert fact(facts, "API_URL").parameter.description == "Where the service is"
    assert fact(facts, "API_URL").parameter.type is ValueType.URL
    assert fact(facts, "PORT").parameter.default == "3000"


@pytest.mark.parametrize(
    "source",
    [
        'import { cleanEnv, str } from "envalid";'
        ' cleanEnv(process.env, { API_KEY: str(), A: str({ default: "x" }) })',
        'import env from "env-var";'
        ' env.get("API_KEY").required().asString(); env.get("A").default("x").asString()',
        'import { createEnv } from "@t3-oss/env-core"; import { z } from "zod";'
        ' createEnv({ server: { API_KEY: z.string(), A: z.string().default("x") } })',
    ],
)
def test_validators_require_what_has_no_default(tmp_path: Path, source: str) -> None:
    facts = read_script(tmp_path, source)

    assert needed(facts) == ["API_KEY"]
    assert fact(facts, "A").parameter.default == "x"


def test_googles_library_needs_credentials_when_it_is_given_none(tmp_path: Path) -> None:
    facts = read_python(
        tmp_path,
        """
        import os
        from google.cloud import bigquery

        def main():
            bigquery.Client(project="p", credentials=os.getenv("KEY_TEXT"))
        """,
    )

    assert needed(facts) == ["KEY_TEXT", "GOOGLE_APPLICATION_CREDENTIALS"]
