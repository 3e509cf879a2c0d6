"""Which environment variables a program cannot do without, and which it can."""

from pathlib import Path

import pytest

from avow.core.configuration.model import Origin, ValueType, Where
from avow.system.diagnosis.code import Need
from small_packages import fact, needed, read_python, read_script, ways


@pytest.mark.parametrize(
    "guard",
    [
        "key = os.environ['API_KEY']",
        "key = os.getenv('API_KEY')\n    if not key:\n        raise ValueError('no key')",
        "key = os.environ.get('API_KEY', '')\n    if key == '':\n        sys.exit('no key')",
        "key = os.getenv('API_KEY')\n    assert key, 'no key'",
        "key = os.getenv('API_KEY').strip()",
        "key = int(os.getenv('API_KEY'))",
        "if 'API_KEY' not in os.environ:\n        raise RuntimeError('no key')",
        "missing = [n for n in ['API_KEY'] if not os.getenv(n)]\n    if missing:\n        sys.exit(1)",
        "key = required('API_KEY')",
        "NAME = 'API_KEY'\n    key = os.environ[NAME]",
        "if os.getenv('API_KEY') is None:\n        print('no key')\n        return 1\n    FastMCP('x').run()",
        "try:\n        key = os.environ['API_KEY']\n    except KeyError:\n        sys.exit(1)",
        "if not all([os.getenv('API_KEY')]):\n        exit(1)",
        "client = Client()",
    ],
)
def test_a_python_program_that_ends_without_a_variable_needs_it(tmp_path: Path, guard: str) -> None:
    facts = read_python(
        tmp_path,
        f"""
import os, sys
from fastmcp import FastMCP

def required(name):
    value = os.getenv(name)
    if value is None:
        raise ValueError(name + " is required")
    return value

class Client:
    def __init__(self, key=None):
        self.key = key or os.getenv("API_KEY")
        if not self.key:
            raise ValueError("no key")

def main():
    {guard}
""",
    )

    assert needed(facts) == ["API_KEY"]
    found = fact(facts, "API_KEY").parameter
    assert found.binding.where is Where.ENV
    assert found.secret
    assert found.required
    assert found.source.origin is Origin.CODE
    assert found.source.place.startswith("small/server.py:")


@pytest.mark.parametrize(
    "guard",
    [
        "const key = process.env.API_KEY; if (!key) { throw new Error('no key') }",
        "const key = process.env['API_KEY']; if (key === undefined) process.exit(1)",
        "const { API_KEY } = process.env; if (!API_KEY) { console.error('no key'); process.exit(1) }",
        "const key = process.env.API_KEY ?? (() => { throw new Error('no key') })()",
        "const hosts = process.env.API_KEY.split(',')",
        "const url = new URL(process.env.API_KEY)",
        "const missing = ['API_KEY'].filter(n => !process.env[n]); if (missing.length > 0) process.exit(1)",
        "for (const name of ['API_KEY']) { if (!process.env[name]) { throw new Error(name) } }",
        "const bad = []; if (!process.env.API_KEY) bad.push('x'); if (bad.length) process.exit(1)",
        "const need = (n) => { const v = process.env[n]; if (!v) throw Error(n); return v }; need('API_KEY')",
        "const main = async () => { if (!process.env.API_KEY) throw Error() }; main().catch(e => log(e))",
        "let ok = true; if (!process.env.API_KEY) { ok = false }; if (!ok) { process.exit(1) }",
        "const f = () => { if (!process.env.API_KEY) return null; return 1 }; if (!f()) process.exit(1)",
        "class C { #key = process.env.API_KEY; constructor() { if (!this.#key) throw Error() } }; new C()",
        "if (process.env.API_KEY) { start() } else { console.error('no key'); process.exit(1) }",
    ],
)
def test_a_javascript_program_that_ends_without_a_variable_needs_it(tmp_path: Path, guard: str) -> None:
    facts = read_script(tmp_path, guard)

    assert needed(facts) == ["API_KEY"]
    assert fact(facts, "API_KEY").parameter.source.place == "index.js:1"


def test_what_has_a_default_is_optional(tmp_path: Path) -> None:
    facts = read_script(
        tmp_path,
        """
        const port = Number(process.env.PORT || "3000");
        const host = process.env.HOST ?? "localhost";
        const { REGION = "eu" } = process.env;
        if (!host || !port || !REGION) process.exit(1);
        """,
    )

    assert needed(facts) == []
    assert fact(facts, "PORT").parameter.default == "3000"
    assert fact(facts, "PORT").parameter.type is ValueType.NUMBER
    assert fact(facts, "REGION").parameter.default == "eu"
    assert {each.need for each in facts.facts} == {Need.OPTIONAL}


def test_a_branch_that_is_not_taken_by_default_asks_for_nothing(tmp_path: Path) -> None:
    """The token is needed over HTTP only, and the program speaks over its standard streams."""
    facts = read_python(
        tmp_path,
        """
        import os

        def main():
            transport = os.environ.get("TRANSPORT", "stdio")
            if transport == "http":
                token = os.environ["HTTP_TOKEN"]
        """,
    )

    assert needed(facts) == []


def test_one_of_two_is_a_group(tmp_path: Path) -> None:
    facts = read_script(
        tmp_path,
        """
        const token = process.env.SERVICE_TOKEN || process.env.LEGACY_TOKEN;
        if (!token) { throw new Error("set a token") }
        """,
    )

    assert needed(facts) == ["SERVICE_TOKEN", "LEGACY_TOKEN"]
    assert ways(facts) == [{("SERVICE_TOKEN",), ("LEGACY_TOKEN",)}]


def test_a_token_or_a_user_with_a_password_is_a_group(tmp_path: Path) -> None:
    facts = read_python(
        tmp_path,
        """
        import os

        def credentials():
            token = os.getenv("TOKEN")
            if token:
                return token
            return os.environ["USER_NAME"], os.environ["PASSWORD"]

        def main():
            credentials()
        """,
    )

    assert ways(facts) == [{("TOKEN",), ("PASSWORD", "USER_NAME")}]


def test_requirements_that_appear_one_at_a_time_are_all_found(tmp_path: Path) -> None:
    facts = read_python(
        tmp_path,
        """
        import os, sys
        from small.settings import load

        def main():
            try:
                settings = load()
            except ValueError as error:
                print(error)
                sys.exit(1)
        """,
        settings="""
        import os

        def load():
            first = os.getenv("FIRST_URL")
            if not first:
                raise ValueError("FIRST_URL")
            second = os.getenv("SECOND_DIR")
            if not second:
                raise ValueError("SECOND_DIR")
            return first, second
        """,
    )

    assert needed(facts) == ["FIRST_URL", "SECOND_DIR"]
    assert fact(facts, "FIRST_URL").parameter.type is ValueType.URL
    assert fact(facts, "SECOND_DIR").parameter.type is ValueType.PATH


def test_what_a_handler_gets_over_is_not_needed_at_start(tmp_path: Path) -> None:
    facts = read_python(
        tmp_path,
        """
        import os
        from fastmcp import FastMCP

        def main():
            try:
                key = os.environ["EXTRA_KEY"]
            except KeyError:
                key = None
            FastMCP("x").run()
        """,
    )

    assert facts.serves
    assert needed(facts) == []
    assert needed(facts, Need.CALL) == ["EXTRA_KEY"]


def test_what_only_a_tool_asks_for_is_needed_when_it_is_called(tmp_path: Path) -> None:
    facts = read_python(
        tmp_path,
        """
        import os
        from fastmcp import FastMCP

        mcp = FastMCP("x")

        @mcp.tool()
        def search(query: str) -> str:
            key = os.getenv("SEARCH_KEY")
            if not key:
                raise ValueError("SEARCH_KEY is not set")
            return key

        def main():
            mcp.run()
        """,
    )

    assert facts.serves
    assert needed(facts) == []
    assert needed(facts, Need.CALL) == ["SEARCH_KEY"]


def test_what_starts_with_the_server_is_needed_at_start(tmp_path: Path) -> None:
    facts = read_python(
        tmp_path,
        """
        import os
        from contextlib import asynccontextmanager
        from fastmcp import FastMCP

        @asynccontextmanager
        async def lifespan(server):
            yield os.environ["DATABASE_URL"]

        mcp = FastMCP("x", lifespan=lifespan)

        def main():
            mcp.run()
        """,
    )

    assert needed(facts) == ["DATABASE_URL"]


def test_a_file_in_somebodys_home_is_not_there_yet(tmp_path: Path) -> None:
    facts = read_script(
        tmp_path,
        """
        import fs from "node:fs";
        import path from "node:path";
        import os from "node:os";
        const file = process.env.KEYS_PATH || path.join(os.homedir(), ".small", "keys.json");
        if (!fs.existsSync(file)) { console.error("no keys"); process.exit(1) }
        """,
    )

    assert needed(facts) == ["KEYS_PATH"]


def test_variables_of_every_machine_and_of_tools_are_not_told(tmp_path: Path) -> None:
    facts = read_script(
        tmp_path,
        """
        const quiet = process.env.NO_COLOR || process.env.NODE_ENV || process.env.npm_config_registry;
        const home = process.env.HOME;
        if (!home) throw new Error("no home");
        """,
    )

    assert facts.facts == ()


def test_a_credential_that_a_library_is_given_unseen_is_the_first_suspect(tmp_path: Path) -> None:
    facts = read_script(
        tmp_path,
        """
        import { Client } from "some-service";
        const client = new Client({ apiKey: process.env.SERVICE_KEY });
        const later = () => process.env.OTHER_KEY;
        """,
    )

    assert fact(facts, "SERVICE_KEY").need is Need.CALL
    assert fact(facts, "SERVICE_KEY").confidence > fact(facts, "OTHER_KEY").confidence
    assert fact(facts, "SERVICE_KEY").reason.startswith("a library is given it at start")


def test_a_variable_that_the_program_sets_itself_is_there(tmp_path: Path) -> None:
    facts = read_script(
        tmp_path,
        """
        process.env.MODE = "quiet";
        if (!process.env.MODE) throw new Error("never");
        """,
    )

    assert needed(facts) == []


def test_what_would_have_led_around_a_check_is_another_way(tmp_path: Path) -> None:
    facts = read_script(
        tmp_path,
        """
        const load = () => {
          if (!process.env.OWN_KEY) {
            if (process.env.SHARED_KEY) { use(process.env.SHARED_KEY) } else { throw new Error("no key") }
          }
        };
        try { load() } catch (error) { console.error(error); process.exit(1) }
        """,
    )

    assert ways(facts) == [{("OWN_KEY",), ("SHARED_KEY",)}]


@pytest.mark.parametrize(
    "guard",
    [
        "if (require.main === module) { main() }",
        "if (import.meta.url === `file://${process.argv[1]}`) { main() }",
        "if (process.argv[1] === fileURLToPath(import.meta.url)) { main() }",
        "if (import.meta.url === pathToFileURL(process.argv[1]).href) { main() }",
        "if (import.meta.main) main()",
    ],
)
def test_a_program_that_asks_whether_it_was_started_was_started(tmp_path: Path, guard: str) -> None:
    source = f"""
    import {{ fileURLToPath, pathToFileURL }} from "node:url";
    function main() {{ if (!process.env.API_KEY) process.exit(1) }}
    {guard}
    """

    assert needed(read_script(tmp_path, source)) == ["API_KEY"]
    assert needed(read_script(tmp_path, 'import "./other.js"', other_js=source)) == []
