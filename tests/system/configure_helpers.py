"""A person at a desk: a home of their own, a server to set up, a terminal with a screen, and a browser."""

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

import pexpect  # type: ignore[import-untyped]
import pyte

from avow.cli.main import run

SERVER = Path(__file__).parent / "servers" / "configured.py"
TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
OTHER_TOKEN = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"

# The three examples of the proposal that `configurationSchema` comes from.
FILES: dict[str, Any] = {
    "arguments": [
        {
            "name": "allowed-directory",
            "description": "Directory path that the server is allowed to access",
            "type": "path",
            "required": True,
            "multiple": True,
            "examples": ["/home/user/projects", "/tmp"],
        }
    ]
}
GITHUB: dict[str, Any] = {
    "environmentVariables": [
        {
            "name": "GITHUB_TOKEN",
            "description": "GitHub personal access token with repo permissions",
            "type": "string",
            "required": True,
            "sensitive": True,
            "pattern": "^ghp_[a-zA-Z0-9]{36}$",
        }
    ]
}
CLONE: dict[str, Any] = {
    "arguments": [
        {"name": "source-directory", "description": "Where from", "type": "path", "required": True},
        {"name": "destination-directory", "description": "Where to", "type": "path", "required": True},
    ],
    "environmentVariables": [
        {
            "name": "CLONE_PRESERVE_PERMISSIONS",
            "description": "Whether to preserve file permissions during cloning",
            "type": "boolean",
            "required": False,
            "default": True,
        }
    ],
}


def variable(name: str, **members: Any) -> dict[str, Any]:
    """One declared variable."""
    return {
        "name": name,
        "description": f"What {name} is for",
        "type": "string",
        "required": False,
        **members,
    }


class Desk:
    """A directory to work in, with a server in it, and a home in which nothing is configured yet."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory / "work"
        self.home = directory / "home"
        self.directory.mkdir()
        self.home.mkdir()
        shutil.copy(SERVER, self.directory / "server.py")
        self.extra: dict[str, str] = {}

    def serve(self, schema: dict[str, Any] | None = None, **surface: Any) -> None:
        """Make the server one with this declaration and this behaviour."""
        declared = {} if schema is None else {"schema": schema}
        document = {"log": str(self.directory / "given.json"), **declared, **surface}
        (self.directory / "surface.json").write_text(json.dumps(document), encoding="utf-8")

    @property
    def given(self) -> dict[str, Any]:
        """What the server was given when it was started last."""
        document: dict[str, Any] = json.loads((self.directory / "given.json").read_text(encoding="utf-8"))
        return document

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {
            **kept,
            "HOME": str(self.home),
            "PYTHONPATH": os.pathsep.join(sys.path),
            "AVOW_SECRET_STORE": "file",
            "TERM": "xterm",
            **self.extra,
        }

    def words(self, *options: str) -> list[str]:
        """The command line: `avow configure … -- python server.py`."""
        server = [sys.executable, "server.py"]
        return [sys.executable, "-m", "avow", "configure", "--name", "demo", *options, "--", *server]

    def configure(self, *options: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run `avow configure` with its streams in pipes."""
        return self.run(self.words(*options), stdin)

    def run(self, words: list[str], stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run `python -m avow …` in this process, which spares loading it each time; servers are real."""
        out, err = io.StringIO(), io.StringIO()
        with ExitStack() as stack:
            stack.enter_context(chdir(self.directory))
            stack.enter_context(mock.patch.dict(os.environ, self.environment, clear=True))
            given = io.TextIOWrapper(io.BytesIO(stdin.encode()))
            stack.enter_context(mock.patch.object(sys, "stdin", given))
            stack.enter_context(redirect_stdout(out))
            stack.enter_context(redirect_stderr(err))
            code = run(words[3:])
        return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())

    def document(self, *options: str, stdin: str = "") -> dict[str, Any]:
        """The same with `--format json`, read."""
        document: dict[str, Any] = json.loads(
            self.configure("--format", "json", *options, stdin=stdin).stdout
        )
        return document

    def where(self) -> dict[str, tuple[str | None, str]]:
        """Where each value comes from, and what is shown of it, by name."""
        found = self.document("--where")["parameters"]
        return {one["name"]: (one["source"], one["value"]) for one in found}

    def files(self) -> dict[Path, bytes]:
        """Every file that was written anywhere, apart from what the server itself keeps for the test."""
        own = {"server.py", "surface.json", "given.json"}
        places = (path for base in (self.home, self.directory) for path in base.rglob("*"))
        return {path: path.read_bytes() for path in places if path.is_file() and path.name not in own}

    @contextmanager
    def terminal(self, *options: str, words: list[str] | None = None) -> "Iterator[Terminal]":
        """Run `avow configure`, or these words, on a terminal."""
        words = words or self.words(*options)
        child = pexpect.spawn(
            words[0],
            words[1:],
            cwd=str(self.directory),
            env=self.environment,
            dimensions=(60, 100),
            timeout=20,
            encoding="utf-8",
        )
        try:
            yield Terminal(child)
        finally:
            child.close(force=True)


class Terminal:
    """A person in front of a terminal: waits for words, types, and looks at the screen."""

    def __init__(self, child: pexpect.spawn) -> None:
        self.child = child
        self.said = ""
        self._screen = pyte.Screen(100, 60)
        self._stream = pyte.Stream(self._screen)

    def see(self, words: str) -> None:
        """Wait until the words appear."""
        self.child.expect_exact(words)
        self._took(f"{self.child.before}{self.child.after}")

    def type(self, text: str) -> None:
        """Type a line."""
        self.child.send(f"{text}\r")

    def press(self, keys: str) -> None:
        """Press keys, without Enter."""
        self.child.send(keys)

    def answer(self, prompt: str, text: str) -> None:
        """Wait for a prompt, and type a line."""
        self.see(prompt)
        self.type(text)

    def end(self) -> int:
        """Wait for the end; the exit code."""
        self.child.expect(pexpect.EOF)
        self._took(str(self.child.before))
        self.child.close()
        status: int = self.child.exitstatus if self.child.exitstatus is not None else -1
        return status

    @property
    def screen(self) -> str:
        """What is on the screen now, without the blanks at the end of lines."""
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    def _took(self, text: str) -> None:
        self.said += text
        self._stream.feed(text)


@contextmanager
def served(desk: Desk, *options: str) -> "Iterator[Served]":
    """Run `avow configure --web`, and wait for the address that it prints."""
    process = subprocess.Popen(
        desk.words("--web", *options),
        cwd=desk.directory,
        env=desk.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        lines = []
        for line in process.stderr:
            lines.append(line)
            if "http://" in line:
                break
        assert "http://" in lines[-1], "".join(lines)
        yield Served(process, lines[-1].strip())
    finally:
        process.kill()
        process.communicate()


class Served:
    """A form that waits for somebody."""

    def __init__(self, process: subprocess.Popen[str], link: str) -> None:
        self.process = process
        self.link = link

    def end(self) -> tuple[int, str]:
        """Wait for the end; the exit code, and everything that was printed besides the address."""
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out + err
