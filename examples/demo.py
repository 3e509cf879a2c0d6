"""The main job on what ships in the box: inspect a server, lock it, meet its next release, see the drift."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NOTES = Path(__file__).parent / "notes"


def show(text: str) -> None:
    """Say what happens next."""
    sys.stdout.write(f"\n\033[2m# {text}\033[0m\n" if sys.stdout.isatty() else f"\n# {text}\n")
    sys.stdout.flush()


def avow(*arguments: str, at: Path) -> int:
    """Run one command as a person would, in the directory `at`."""
    sys.stdout.write(f"$ avow {shlex.join(arguments)}\n")
    sys.stdout.flush()
    command = [sys.executable, "-m", "avow", *arguments]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(command, cwd=at, env=environment, check=False).returncode


def main() -> int:
    """Tell the story; 0 when each step ends as it should."""
    with tempfile.TemporaryDirectory(prefix="avow-demo-") as directory:
        at = Path(directory)
        server = at / "notes.py"
        shutil.copy(NOTES / "release_1.py", server)

        show("What can this server do?")
        inspected = avow("inspect", "--", "python", "notes.py", at=at)
        show("That is fine with me: approve exactly this.")
        locked = avow("lock", "--yes", "--name", "notes", "--", "python", "notes.py", at=at)
        show("Nothing has changed yet.")
        unchanged = avow("check", at=at)
        show("A new release arrives overnight, under the same name.")
        shutil.copy(NOTES / "release_2.py", server)
        changed = avow("check", at=at)
        show(f"Exit code {changed}: a pipeline stops here, and so does a person.")
    return 0 if (inspected, locked, unchanged, changed) == (0, 0, 0, 1) else 1


if __name__ == "__main__":
    raise SystemExit(main())
