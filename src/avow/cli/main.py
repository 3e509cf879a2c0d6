"""The `avow` program: which commands there are, and the two answers that need none of them.

A command is one new file, `cli/<name>.py` with an object `command`, and one line in `COMMANDS`. Nothing
is imported before it is needed: `avow --version` and `avow --help` answer from this file alone, since
the command-line toolkit, and even `typing`, takes longer to load than Python itself.
"""

import gc
import sys

import avow

COMMANDS = {
    "inspect": "Connect to a server and show what it can do.",
    "lock": "Approve servers: write what they offer to avow.lock.",
    "check": "Compare every locked server with what was approved.",
    "diff": "Show the drift between any two targets, snapshots or lockfiles.",
    "export": "Write an approved snapshot in another format.",
    "run": "Start a locked server behind the gate, for any MCP client.",
    "gateway": "Serve every locked server over Streamable HTTP, behind the gate.",
    "configure": "Ask for what a server needs, try it, and keep it safe.",
    "doctor": "Examine configured servers: do they start, what do they lack, have they drifted?",
    "protect": "Put the servers of MCP clients behind `avow run`.",
    "unprotect": "Take them out again, to the byte.",
    "audit": "Look for weak capability negotiation, in source code or a running server.",
    "registry": "Run a registry of servers, publish to one, and ask one.",
    "keygen": "Make a key to sign with.",
    "sign": "Sign a lockfile or a snapshot.",
    "verify": "Verify the signature of a lockfile or a snapshot.",
}

_HELP = """\
Usage: avow COMMAND [ARGUMENTS]

  Hold MCP servers to what they declare.

Commands:
{commands}

Options:
  --version  Print the version.
  --help     Print this text; `avow COMMAND --help` explains one command.

A TARGET is `-- COMMAND ARG…`, `https://…/mcp`, a NAME from the lockfile or from an MCP client's
configuration, `package.module:object`, or a saved `FILE.json`.

Exit codes: 0 all is well, 1 found something at or above the threshold, 2 could not do its job.
"""


def help_text() -> str:
    """What `avow --help` prints."""
    width = max(map(len, COMMANDS))
    return _HELP.format(commands="\n".join(f"  {name:{width}}  {line}" for name, line in COMMANDS.items()))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code; failures are explained, never raised."""
    # Late, and for the reason above.
    from avow.cli.program import Program, run_program

    return run_program(Program(COMMANDS, help_text()), arguments)


def main() -> None:
    """Run the program with the arguments of this process, and leave with its exit code."""
    match sys.argv[1:]:
        case ["--version"]:
            sys.stdout.write(f"avow {avow.__version__}\n")
        case [] | ["--help"] | ["-h"]:
            sys.stdout.write(help_text())
        case arguments:
            # What is loaded stays: looking for garbage in it takes a tenth of the time that loading does.
            gc.disable()
            sys.exit(run(arguments))
