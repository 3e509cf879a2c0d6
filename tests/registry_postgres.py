"""A real PostgreSQL for tests: started on a socket in a directory of its own, as somebody who is not root."""

import asyncio
import contextlib
import importlib.util
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

_PLACES = ("/usr/lib/postgresql/*/bin", "/usr/local/pgsql/bin", "/opt/homebrew/opt/postgresql*/bin")
# What it would lose when the machine stops does not matter here, and keeping it is slow.
_SETTINGS = {
    "listen_addresses": "",
    "shared_buffers": "32MB",
    "max_connections": "60",
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
}


def find_postgres() -> Path | None:
    """The directory with `initdb` and `postgres`: the system's, or that of a package that carries them."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    for pattern in _PLACES:
        for directory in sorted(Path("/").glob(pattern[1:]), reverse=True):
            if (directory / "initdb").exists():
                return directory
    package = importlib.util.find_spec("pgserver")
    return Path(package.origin).parent / "pginstall" / "bin" if package and package.origin else None


class Postgres:
    """One server; `address()` makes a new empty database on it."""

    def __init__(self, programs: Path, directory: Path) -> None:
        self._programs = programs
        self.directory = directory
        if "site-packages" in programs.parts:
            # Another user may not be able to reach the directory of the tests.
            package = programs.parent.parent
            for part in (programs.parent, package.with_name(f"{package.name}.libs")):
                copy = directory / "programs" / part.relative_to(package.parent)
                shutil.copytree(part, copy, symlinks=True)
            self._programs = directory / "programs" / programs.relative_to(package.parent)
        self._user = self._other_user()
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = itertools.count(1)

    @staticmethod
    def _other_user() -> str | None:
        """PostgreSQL does not run as root."""
        if os.getuid() != 0:
            return None
        for name in ("postgres", "nobody"):
            with contextlib.suppress(KeyError):
                return pwd.getpwnam(name).pw_name
        raise AssertionError("there is no user to run PostgreSQL as")

    def create(self) -> None:
        data = self.directory / "data"
        data.mkdir(mode=0o700)
        if self._user is not None:
            shutil.chown(self.directory, self._user)
            shutil.chown(data, self._user)
        arguments = ["-D", data, "-U", "avow", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        self._run("initdb", *map(str, arguments))

    def _run(self, program: str, *arguments: str | Path) -> None:
        subprocess.run(
            [self._programs / program, *arguments],
            check=True,
            user=self._user,
            cwd=self.directory,
            stdout=subprocess.DEVNULL,
            timeout=60,
        )

    def start(self, **settings: str) -> None:
        chosen = {**_SETTINGS, "unix_socket_directories": str(self.directory), **settings}
        options = [part for name, value in chosen.items() for part in ("-c", f"{name}={value}")]
        with (self.directory / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self.directory / "data", *options],
                user=self._user,
                cwd=self.directory,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        asyncio.run(self._answers())

    async def _answers(self) -> None:
        async with asyncio.timeout(30):
            while True:
                try:
                    connection = await asyncpg.connect(self._address("postgres"))
                except (OSError, asyncpg.PostgresError):
                    assert self._process is not None
                    assert self._process.poll() is None, (self.directory / "log").read_text()
                    await asyncio.sleep(0.05)
                else:
                    await connection.close()
                    return

    def kill(self) -> None:
        """As a crash would: the server and everything it started, at once."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(10)

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        if self._process is not None and self.is_running:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(20)

    def enable_checksums(self) -> None:
        """Let every page have a checksum from now on."""
        self.stop()
        self._run("pg_checksums", "--enable", "--no-sync", "-D", self.directory / "data")
        self.start()

    def address(self) -> str:
        """The address of a new database."""
        name = f"test_{next(self._numbers)}"
        asyncio.run(self._execute(f"CREATE DATABASE {name}"))
        return self._address(name)

    async def _execute(self, statement: str) -> None:
        connection = await asyncpg.connect(self._address("postgres"))
        try:
            await connection.execute(statement)
        finally:
            await connection.close()

    def _address(self, name: str) -> str:
        return f"postgresql://avow@/{name}?host={self.directory}"


@contextlib.contextmanager
def running_postgres(*, inside: Path | None = None, **settings: str) -> Iterator[Postgres]:
    """A server that is gone afterwards."""
    programs = find_postgres()
    if programs is None:
        if os.environ.get("CI"):
            pytest.fail("PostgreSQL is not installed: apt-get install postgresql")
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    # Not in pytest's directory: nobody but its owner may enter that, and paths of sockets have to be short.
    directory = Path(tempfile.mkdtemp(prefix="avow-pg-", dir=inside))
    directory.chmod(0o755)
    server = Postgres(programs, directory)
    try:
        server.create()
        server.start(**settings)
        yield server
    finally:
        server.stop()
        shutil.rmtree(directory, ignore_errors=True)
