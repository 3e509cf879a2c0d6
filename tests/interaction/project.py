"""A directory to work in, with servers that can be made to change, and the program run as a person would."""

import io
import json
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack, chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

from avow.cli.main import run
from changes import APPROVED

SERVERS = Path(__file__).parent / "servers"
CHANGEABLE = Path(__file__).parent / "changes" / "server.py"


class Project:
    """An empty directory that is also the user's home, so that nothing of this machine plays a part."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.lockfile = directory / "avow.lock"

    def serve(self, surface: Mapping[str, Any] = APPROVED, name: str = "files") -> list[str]:
        """Make, or change, a server with this surface; return the command that starts it."""
        home = self.directory / name
        home.mkdir(exist_ok=True)
        shutil.copy(CHANGEABLE, home / "server.py")
        (home / "surface.json").write_text(json.dumps(surface), encoding="utf-8")
        return [sys.executable, f"{name}/server.py"]

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run `avow` in this process, which spares loading it each time; its servers are real processes."""
        out, err = io.StringIO(), io.StringIO()
        with ExitStack() as stack:
            stack.enter_context(chdir(self.directory))
            stack.enter_context(mock.patch.dict(os.environ, self._environment(environment), clear=True))
            stack.enter_context(mock.patch.object(sys, "stdin", io.StringIO()))
            stack.enter_context(redirect_stdout(out))
            stack.enter_context(redirect_stderr(err))
            code = run(list(arguments))
        return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())

    def run_outside(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run `avow` as a program of its own, with its output in pipes."""
        return subprocess.run(
            self._command(arguments),
            cwd=self.directory,
            env=self._environment(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def document(self, *arguments: str, code: int = 0) -> Any:
        """Run `avow … --format json`, which must end with `code`, and read its document."""
        words = list(arguments)
        place = words.index("--") if "--" in words else len(words)
        ended = self.run(*words[:place], "--format", "json", *words[place:])
        assert ended.returncode == code, ended.stderr + ended.stdout
        return json.loads(ended.stdout)

    def lock(self, name: str, *command: str) -> None:
        """Approve a server."""
        ended = self.run("lock", "--yes", "--name", name, "--", *command)
        assert ended.returncode == 0, ended.stderr

    def answer(self, reply: str, *arguments: str) -> tuple[int, str]:
        """Run `avow` on a terminal and type `reply` at once; return the exit code and what was shown."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            self._command(arguments),
            cwd=self.directory,
            env=self._environment({"TERM": "xterm-256color", "COLUMNS": "100"}),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        os.write(ours, reply.encode())
        shown = b""
        try:
            while block := os.read(ours, 65536):
                shown += block
        except OSError:
            # Linux says so when the other end of a terminal is closed.
            pass
        finally:
            os.close(ours)
        return process.wait(timeout=60), shown.decode()

    def _command(self, arguments: tuple[str, ...]) -> list[str]:
        return [sys.executable, "-m", "avow", *arguments]

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        kept = {
            name: os.environ[name]
            for name in ("PATH", "LANG", "COVERAGE_PROCESS_START")
            if name in os.environ
        }
        return {**kept, "HOME": str(self.directory), "PYTHONPATH": os.pathsep.join(sys.path), **more}
