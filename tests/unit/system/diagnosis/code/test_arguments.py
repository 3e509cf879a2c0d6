"""What has to stand on the command line."""

from pathlib import Path

import pytest

from avow.core.configuration.model import Style, ValueType, Where
from small_packages import fact, needed, read_python, read_script, ways


def test_argparse_requires_options_and_positional_arguments(tmp_path: Path) -> None:
    facts = read_python(
        tmp_path,
        """
        import argparse
        from pathlib import Path

        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("folder", type=Path, help="What to serve")
            parser.add_argument("others", nargs="*")
            parser.add_argument("--api-key", required=True, help="The key")
            parser.add_argument("--mode", choices=["a", "b"], default="a")
            parser.add_argument("--verbose", action="store_true")
            args = parser.parse_args()
        """,
    )

    assert needed(facts) == ["<folder>", "--api-key"]
    folder = fact(facts, "<folder>").parameter
    assert folder.binding.where is Where.ARGUMENT
    assert folder.binding.style is Style.POSITIONAL
    assert folder.type is ValueType.PATH
    assert folder.description == "What to serve"
    assert fact(facts, "--api-key").parameter.secret
    assert fact(facts, "--mode").parameter.choices == ("a", "b")
    assert fact(facts, "<others>").parameter.multiple
    assert fact(facts, "--verbose").parameter.type is ValueType.BOOLEAN


def test_an_option_or_a_variable_is_a_group(tmp_path: Path) -> None:
    facts = read_python(
        tmp_path,
        """
        import argparse, os

        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--token")
            args = parser.parse_args()
            token = args.token or os.environ.get("SMALL_TOKEN")
            if not token:
                parser.error("a token is required")
        """,
    )

    assert ways(facts) == [{("--token",), ("SMALL_TOKEN",)}]


@pytest.mark.parametrize(
    "source",
    [
        """
        import click
        @click.command()
        @click.option("--token", envvar="SMALL_TOKEN", required=True, help="The token")
        @click.argument("folder")
        @click.option("--port", default=80)
        def main(token, folder, port): ...
        """,
        """
        import typer
        from typing import Annotated
        def run(
            folder: str,
            token: Annotated[str, typer.Option(envvar="SMALL_TOKEN", help="The token")],
            port: int = 80,
        ): ...
        def main():
            typer.run(run)
        """,
        """
        import typer
        app = typer.Typer()
        @app.command()
        def run(
            folder: str,
            token: str = typer.Option(..., envvar="SMALL_TOKEN", help="The token"),
            port: int = 80,
        ): ...
        def main():
            app()
        """,
    ],
)
def test_click_and_typer_require_arguments(tmp_path: Path, source: str) -> None:
    facts = read_python(tmp_path, source)

    assert set(needed(facts)) == {"--token", "SMALL_TOKEN", "<folder>"}
    assert ways(facts) == [{("--token",), ("SMALL_TOKEN",)}]
    assert fact(facts, "--token").parameter.description == "The token"
    assert fact(facts, "--port").parameter.default == "80"


@pytest.mark.parametrize(
    "source",
    [
        """
        import click
        @click.group()
        def main(): ...
        @main.command()
        def login(): ...
        @main.command()
        @click.option("--name", required=True)
        def serve(name): ...
        """,
        """
        import typer
        main = typer.Typer()
        @main.command()
        def login(): ...
        @main.command()
        def serve(name: str = typer.Option(...)): ...
        """,
        """
        import argparse
        def main():
            parser = argparse.ArgumentParser()
            commands = parser.add_subparsers(dest="command", required=True)
            commands.add_parser("login")
            commands.add_parser("serve").add_argument("--name", required=True)
            parser.parse_args()
        """,
        """
        import argparse
        def main():
            parser = argparse.ArgumentParser()
            commands = parser.add_subparsers(dest="command")
            commands.add_parser("login")
            serve = commands.add_parser("serve")
            serve.add_argument("--name", required=True)
            args = parser.parse_args()
            if args.command is None:
                parser.print_help()
                exit(1)
        """,
    ],
)
def test_the_subcommand_that_serves_is_needed_and_what_it_requires(tmp_path: Path, source: str) -> None:
    facts = read_python(tmp_path, source)

    assert fact(facts, "serve").parameter.fixed == "serve"
    assert set(fact(facts, "serve").parameter.choices) == {"login", "serve"}
    assert "serve" in needed(facts)
    if "dest=" not in source or "required=True)\n" in source:
        assert "--name" in needed(facts)


def test_words_of_the_command_line_are_named_after_the_usage(tmp_path: Path) -> None:
    facts = read_script(
        tmp_path,
        """
        const args = process.argv.slice(2);
        if (args.length < 2) {
          console.error("Usage: small <vault-path> <name>");
          process.exit(1);
        }
        const [vault, name] = args;
        """,
    )

    assert needed(facts) == ["<vault-path>", "<name>"]
    assert fact(facts, "<vault-path>").parameter.type is ValueType.PATH


def test_a_word_without_a_usage_is_named_after_its_variable(tmp_path: Path) -> None:
    facts = read_python(tmp_path, "import sys\ndef main():\n    database = sys.argv[1]\n")

    assert needed(facts) == ["<database>"]


def test_a_word_that_decides_what_happens_is_a_subcommand(tmp_path: Path) -> None:
    facts = read_script(
        tmp_path,
        """
        const command = process.argv[2];
        if (!["init", "start"].includes(command)) { console.error("what?"); process.exit(1) }
        if (command === "start" && !process.argv[3]) { process.exit(1) }
        """,
    )

    assert needed(facts) == ["start", "<argument 2>"]


@pytest.mark.parametrize(
    "source",
    [
        """
        import { Command } from "commander";
        const program = new Command().argument("<folder>", "What to serve")
          .requiredOption("-u, --api-url <url>", "Where it is").option("--port <n>", "Port", "80");
        program.parse();
        """,
        """
        import yargs from "yargs"; import { hideBin } from "yargs/helpers";
        const argv = yargs(hideBin(process.argv))
          .option("api-url", { type: "string", demandOption: true, describe: "Where it is" })
          .option("port", { default: "80" })
          .command("$0 <folder>", "Serve", y => y.positional("folder", { demandOption: true }), () => {})
          .parse();
        """,
        """
        import { parseArgs } from "node:util";
        const { values, positionals } = parseArgs({
          options: { "api-url": { type: "string" }, port: { type: "string", default: "80" } },
        });
        if (!values["api-url"]) { throw new Error("--api-url is required") }
        const [folder] = positionals;
        if (!folder) process.exit(1);
        """,
        """
        import minimist from "minimist";
        const argv = minimist(process.argv.slice(2), { default: { port: "80" } });
        const folder = argv._[0];
        if (!folder || !argv["api-url"]) { process.exit(1) }
        const port = argv.port;
        """,
    ],
)
def test_javascripts_parsers_require_arguments(tmp_path: Path, source: str) -> None:
    facts = read_script(tmp_path, source)

    assert set(needed(facts)) == {"--api-url", "<folder>"}
    assert fact(facts, "--api-url").parameter.type is ValueType.URL
    assert fact(facts, "--port").parameter.default == "80"
