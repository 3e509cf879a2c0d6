"""Packages as they come: several files, bundles, TypeScript, and what nobody should write."""

import os
import time
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avow.system.diagnosis.code import Need, read_package
from small_packages import needed, read_python, read_script, write


def test_imports_are_followed_inside_the_package(tmp_path: Path) -> None:
    facts = read_script(
        tmp_path,
        'import { start } from "./server.js"; import express from "express"; start();',
        server_js='import { KEY } from "./config.js"; export const start = () => { if (!KEY) exit(1) }',
        config_js="export const KEY = process.env.API_KEY;",
    )

    assert needed(facts) == ["API_KEY"]


def test_modules_that_nothing_imports_say_nothing(tmp_path: Path) -> None:
    facts = read_script(tmp_path, "start();", unused_js="if (!process.env.API_KEY) process.exit(1);")

    assert facts.facts == ()


def test_compiled_modules_are_followed(tmp_path: Path) -> None:
    facts = read_script(
        tmp_path,
        """
        "use strict";
        var __importDefault = (this && this.__importDefault) || function (mod) { return mod; };
        Object.defineProperty(exports, "__esModule", { value: true });
        const server_1 = __importDefault(require("./server.js"));
        (0, server_1.default)().catch((error) => { console.error(error); process.exit(1); });
        """,
        server_js="""
        "use strict";
        exports.default = main;
        const config_1 = require("./config.js");
        async function main() { const { key } = await (0, config_1.read)(process.argv); }
        """,
        config_js="""
        "use strict";
        var inner_1 = require("./inner.js");
        Object.defineProperty(exports, "read", { get: function () { return inner_1.read; } });
        """,
        inner_js="exports.read = async (argv) => { if (!process.env.API_KEY) throw Error(); return {} };",
    )

    assert needed(facts) == ["API_KEY"]


def test_libraries_inside_a_bundle_are_not_read(tmp_path: Path) -> None:
    """The comments that bundlers leave tell whose code it is."""
    facts = read_script(
        tmp_path,
        """
        // node_modules/noisy/index.js
        var setting = process.env.NOISY_KEY;
        if (!setting) throw new Error("never");
        // node_modules/zod/lib/index.mjs
        var z = {};
        // src/index.ts
        var schema = z.object({ API_KEY: z.string() });
        schema.parse(process.env);
        """,
    )

    assert [each.parameter.key for each in facts.facts] == ["API_KEY"]


def test_typescript_is_read_where_it_is_all_there_is(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "package.json": '{"name": "small", "bin": {"small": "./src/index.js"}}',
            "src/index.ts": """
            import type { Config } from "./types";
            const key: string | undefined = process.env.API_KEY as string;
            if (!key!) { throw new Error(`no ${"key"}`) }
            """,
        },
    )

    assert needed(read_package(tmp_path)) == ["API_KEY"]


def test_a_program_is_picked_by_its_name(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "package.json": '{"name": "small", "bin": {"small": "a.js", "other": "b.js"}}',
            "a.js": "if (!process.env.A_KEY) process.exit(1)",
            "b.js": "if (!process.env.B_KEY) process.exit(1)",
        },
    )

    assert needed(read_package(tmp_path)) == ["A_KEY"]
    assert needed(read_package(tmp_path, program="other")) == ["B_KEY"]
    assert needed(read_package(tmp_path, entry=tmp_path / "b.js")) == ["B_KEY"]


def test_a_python_package_without_a_script_is_read_from_its_main_module(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "small/__init__.py": "",
            "small/__main__.py": "from .app import start\nif __name__ == '__main__':\n    start()\n",
            "small/app.py": "import os\ndef start():\n    os.environ['API_KEY']\n",
        },
    )

    assert needed(read_package(tmp_path / "small")) == ["API_KEY"]


@pytest.mark.parametrize(
    "source",
    [
        "def main(:",
        "\ufeffdef main():\n    return 1\n",
        "(" * 5_000,
        "x = " + "[" * 300 + "]" * 300,
        "def main():\n    return main()\n",
        "def main():\n    while True:\n        pass\n",
        "import small.server\nfrom small import server\ndef main():\n    server.main()\n",
        "class A(A): ...\nclass B:\n    pass\nB.__init__ = B\ndef main():\n    B()\n",
        "def main():\n    x = []\n    x.append(x)\n    for y in x: print(y, *x)\n",
    ],
)
def test_odd_python_costs_nothing_but_a_note(tmp_path: Path, source: str) -> None:
    assert needed(read_python(tmp_path, source)) == []


@pytest.mark.parametrize(
    "source",
    [
        "function (",
        "const a = " + "(" * 5_000,
        "x" + "+1" * 20_000,
        "const o = {}; o.o = o; JSON.stringify(o); for (;;) { o.x = o }",
        "class A extends A {}; new A(); const f = () => f(f); f();",
        "import x from './index.js'; export * from './index.js'; x.y.z();",
        "export default class { static x = process.env.X?.y; get z() { return this.z } }",
        "switch (process.env.A) { case 'x': case 'y': break; default: { } }",
        "label: for (const k in process.env) { continue label }",
        f"import './{'a' * 5_000}'; require('./a\\0b'); import('.'); import('./..')",
    ],
)
def test_odd_javascript_costs_nothing_but_a_note(tmp_path: Path, source: str) -> None:
    assert needed(read_script(tmp_path, source)) == []


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    facts = read_script(tmp_path, 'import "./binary.js"; import "./large.js"; import "./pipe.js";')
    (tmp_path / "binary.js").write_bytes(b"\0\1\2" * 10)
    (tmp_path / "large.js").write_bytes(b" " * (9 * 1024 * 1024))
    os.mkfifo(tmp_path / "pipe.js")

    facts = read_package(tmp_path)

    assert facts.notes == (
        "binary.js was not read: it is not text",
        "large.js was not read: it is too large",
    )


def test_links_that_lead_out_of_the_package_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.js"
    outside.write_text("if (!process.env.OUTSIDE_KEY) process.exit(1)")
    package = tmp_path / "package"
    write(
        package,
        {"package.json": '{"bin": "index.js"}', "index.js": 'import "./link.js"; import "../outside.js"'},
    )
    (package / "link.js").symlink_to(outside)
    (package / "loop.js").symlink_to(package / "loop.js")

    assert read_package(package).facts == ()


@pytest.mark.parametrize("program", ["../outside.js", "/../outside.js", "a" * 5_000, "a\\u0000b", "."])
def test_a_program_outside_of_the_package_is_not_read(tmp_path: Path, program: str) -> None:
    (tmp_path / "outside.js").write_text("if (!process.env.OUTSIDE_KEY) process.exit(1)")
    write(tmp_path / "package", {"package.json": f'{{"bin": "{program}"}}'})

    assert read_package(tmp_path / "package").facts == ()


@pytest.mark.parametrize(
    "document", ["", "[]", "{", '{"bin": 5}', '{"bin": {"a": 5}, "main": []}', '{"bin": {}}']
)
def test_a_broken_manifest_is_a_package_without_a_program(tmp_path: Path, document: str) -> None:
    write(tmp_path, {"package.json": document})

    assert read_package(tmp_path).notes == ("no program to start from was found in the package",)


def test_a_directory_without_a_program_says_so(tmp_path: Path) -> None:
    facts = read_package(tmp_path)

    assert facts.facts == ()
    assert facts.notes == ("no program to start from was found in the package",)


def test_work_ends_in_time(tmp_path: Path) -> None:
    """Every call doubles the work; what is known by then still counts."""
    functions = "\n".join(f"function f{n}() {{ f{n + 1}(); f{n + 1}(); f{n + 1}() }}" for n in range(20))
    source = f"if (!process.env.API_KEY) process.exit(1);\n{functions}\nfunction f20() {{}}\nf0();"
    write(tmp_path, {"package.json": '{"bin": "index.js"}', "index.js": source})
    before = time.thread_time()

    facts = read_package(tmp_path, seconds=0.5)

    assert time.thread_time() - before < 5
    assert needed(facts) == ["API_KEY"]
    assert any("only in part" in note for note in facts.notes)


def test_doubtful_requirements_are_less_certain(tmp_path: Path) -> None:
    facts = read_script(tmp_path, "if (unknown()) { if (!process.env.API_KEY) process.exit(1) }")

    assert needed(facts) == []
    assert [each.confidence < 0.5 for each in facts.needed(Need.START, confidence=0.1)] == [True]


@pytest.mark.parametrize(
    "source",
    [
        "let x = process.env.A; for (const n of ALL) { x = x + process.env['V' + n] } if (!x) throw x",
        "let x = process.env.A; for (const n of ALL) { x = x ? process.env['V' + n] : x || process.env.B }",
        "const x = [1]; for (const n of ALL) { x.push(...x) }",
        "let x = [1]; for (const n of ALL) { x = [...x, ...x] }",
        "let x = 'ab'; for (const n of ALL) { x = x + x + `${x}${x}` }",
        "let x = {}; for (const n of ALL) { x = { ...x, ['k' + n]: { ...x } } }",
    ],
)
def test_values_do_not_grow_without_end(tmp_path: Path, source: str) -> None:
    names = ", ".join(f"'{number}'" for number in range(150))
    before = time.thread_time()

    read_script(tmp_path, f"const ALL = [{names}];\n{source}")

    assert time.thread_time() - before < 3


def test_text_that_doubles_with_each_line_costs_no_memory(tmp_path: Path) -> None:
    """Forty lines would ask for more than any machine has; fewer show it as well."""
    script = "let x = 'aaaaaaaa';" + "x = `${x}${x}`;" * 22
    program = "def main():\n  x = 'aaaaaaaa'\n" + "  x = f'{x}{x}'\n" * 22

    tracemalloc.start()
    try:
        read_script(tmp_path / "script", script)
        read_python(tmp_path / "program", program)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert most < 16 * 1024 * 1024


def test_what_takes_too_long_to_read_is_not_read(tmp_path: Path) -> None:
    """The time of an f-string grows with the square of its length."""
    before = time.thread_time()

    facts = read_python(tmp_path / "braces", "def main(): return f'" + "{a}" * 60_000 + "'")
    large = read_python(tmp_path / "large", "def main(): pass\n" + "f(1)\n" * 250_000)
    write(tmp_path / "late", {"package.json": '{"bin": "index.js"}', "index.js": "f(process.env.A)"})
    late = read_package(tmp_path / "late", seconds=-1)
    write(tmp_path / "many", {"package.json": '{"bin": "index.js"}', "index.js": "process.env.A_B;" * 60_000})
    many = read_package(tmp_path / "many", seconds=0.3)

    assert time.thread_time() - before < 3
    assert any("take too long" in note for note in facts.notes)
    assert any("too large" in note for note in large.notes)
    assert any("take too long" in note for note in late.notes)
    assert any("takes too long" in note for note in many.notes)


@pytest.mark.parametrize("sum_", ["x + 1.5", "f'{x}'"])
def test_numbers_beyond_measure_cost_a_note(tmp_path: Path, sum_: str) -> None:
    program = "def main():\n  x = 9\n" + "  x = x + x\n" * 15_000 + f"  y = {sum_}\n"

    assert any("only in part" in note for note in read_python(tmp_path, program).notes)


SCRIPT = """
import { Command } from "commander"; import { z } from "zod"; import fs from "node:fs";
const schema = z.object({ A: z.string().min(1), B: z.enum(["x", "y"]).default("x") });
class Server extends Base { #key = process.env.KEY; constructor({ port = 1, ...rest } = {}) { super(rest) }
  get url() { return `${this.#key ?? "none"}/${process.argv[2]?.trim()}` } }
const program = new Command().argument("<dir>").option("-p, --port <n>", "", "80").action(async (dir, o) => {
  try { const env = schema.parse(process.env); for (const [k, v] of Object.entries(env)) { if (!v) throw k } }
  catch (e) { console.error(e); process.exit(1) } finally { done() }
  switch (o.port) { case "80": start(); break; default: throw new Error("Usage: x <dir>") } });
program.parseAsync().catch(() => process.exit(1)); while (i < 3) { i++ }
"""
PROGRAM = """
import argparse, os, sys, typer
from pydantic_settings import BaseSettings
class Settings(BaseSettings):
    model_config = {"env_prefix": "X_"}
    token: str
    region: str = os.getenv("REGION", "eu")
def load(*names, strict=True, **rest):
    missing = [name for name in names if not os.environ.get(name)]
    if missing and strict:
        raise ValueError(f"missing {', '.join(missing)}")
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", choices=["a", "b"], required=True)
    args = parser.parse_args()
    with open(args.mode or "x") as file:
        match args.mode:
            case "a" | "b": load("A", "B")
            case _: sys.exit(2)
    try:
        Settings(); int(os.environ["PORT"])
    except (KeyError, ValueError) as error:
        print(error); raise SystemExit(1) from error
    while True:
        break
"""


@settings(max_examples=80, deadline=None)
@given(
    st.booleans(),
    st.integers(0, 1000),
    st.integers(0, 60),
    st.sampled_from(["", "(", "}", "\n", "::", "\\", "#"]),
)
def test_no_damage_to_a_program_lets_an_error_out(is_script: bool, at: int, length: int, put: str) -> None:
    """Whatever is cut out of a program or put into it, reading it ends with facts."""
    source = SCRIPT if is_script else PROGRAM
    damaged = source[:at] + put + source[at + length :]

    with TemporaryDirectory() as directory:
        read = read_script if is_script else read_python
        facts = read(Path(directory), damaged)

    assert all(0 < each.confidence <= 1 and each.parameter.source.place for each in facts.facts)
