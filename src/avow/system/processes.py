"""Starting other people's servers and ending them whole: what they inherit, and what is left of them.

A program is ended with its process group, and on Linux with those that it started in groups of their own, as
long as anybody can tell whose they are. Of a daemon nobody can: its parent is gone. To adopt such orphans, as
a subreaper may, is not for us: it holds for the whole process and whatever else that starts, the dead stay
until somebody buries them, and which of several servers an orphan came from would still be unknown.
"""

import os
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from avow.core.placeholders import PLACEHOLDER
from avow.errors import ServerLaunchError

# What a program needs to run at all: paths, language, the network's proxies and certificates, and where
# package runners download from. Everything else stays here, above all credentials.
INHERITED: Final = frozenset(
    """
    PATH HOME USER LOGNAME SHELL TERM LANG LANGUAGE TZ TMPDIR TMP TEMP
    SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES
    USERPROFILE HOMEDRIVE HOMEPATH
    HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy
    SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
    npm_config_registry npm_config_cache npm_config_prefix npm_config_userconfig npm_config_cafile
    npm_config_offline npm_config_prefer_offline NPM_CONFIG_REGISTRY NPM_CONFIG_CACHE NPM_CONFIG_USERCONFIG
    PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_CONFIG_FILE PIP_CERT PIP_CACHE_DIR
    UV_INDEX UV_INDEX_URL UV_EXTRA_INDEX_URL UV_DEFAULT_INDEX UV_CACHE_DIR UV_CONFIG_FILE UV_OFFLINE
    UV_NATIVE_TLS UV_SYSTEM_CERTS UV_PYTHON UV_PYTHON_INSTALL_DIR UV_TOOL_DIR
    DOCKER_HOST DOCKER_CONFIG DOCKER_CONTEXT
    """.split()  # noqa: SIM905 - words are easier to read, and to add to, without quotes
)
INHERITED_PREFIXES: Final = ("LC_", "XDG_")

_TERMINATION_PATIENCE: Final = 0.3

_MOST_DESCENDANTS: Final = 200
"""How many processes of one server are looked for; each costs an open file for a moment."""

_running: set[subprocess.Popen[bytes]] = set()


def child_environment(names: Iterable[str], values: Mapping[str, str]) -> dict[str, str]:
    """The environment of a server: a safe minimum, the variables it was promised, and `values`.

    Raises:
        ServerLaunchError: a promised variable has no value; a server started without its token
            offers something else than the one that was approved with it.
    """
    environment = {name: value for name, value in os.environ.items() if _is_inherited(name)}
    for name in names:
        environment[name] = variable(name, values)
    return {**environment, **values}


def variable(name: str, values: Mapping[str, str]) -> str:
    """The value of one variable: as given, else from our own environment.

    Raises:
        ServerLaunchError: it has none.
    """
    value = values.get(name, os.environ.get(name))
    if value is None:
        raise ServerLaunchError(
            f"the environment variable {name} is not set", hint=f"pass it with -e {name}=..."
        )
    return value


def expand(text: str, values: Mapping[str, str]) -> str:
    """The text with each `${NAME}` replaced by that variable's value.

    Raises:
        ServerLaunchError: a variable has no value.
    """
    return PLACEHOLDER.sub(lambda found: variable(found[1], values), text)


def placeholders(text: str) -> list[str]:
    """The names of the variables that `expand` would put in."""
    return PLACEHOLDER.findall(text)


def launch(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    directory: str | None,
    *,
    own_stderr: bool = True,
) -> subprocess.Popen[bytes]:
    """Start a program at the head of its own process group, with pipes to its streams.

    With `own_stderr` false its standard error is ours.

    Raises:
        ServerLaunchError: there is no such program, or it cannot be executed.
    """
    command = arguments[0]
    try:
        process = subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if own_stderr else None,
            bufsize=0,
            cwd=directory,
            env=environment,
            start_new_session=True,
        )
    except FileNotFoundError as exc:
        if directory is not None and not Path(directory).is_dir():
            raise ServerLaunchError(f"there is no directory {directory} to start {command} in") from exc
        raise ServerLaunchError(
            f"there is no program {command}", hint="is it installed, and its directory in PATH?"
        ) from exc
    except PermissionError as exc:
        raise ServerLaunchError(
            f"{command} cannot be executed", hint="name an executable file; `chmod +x` makes a script one"
        ) from exc
    except (OSError, ValueError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) else str(exc)
        raise ServerLaunchError(
            f"{command} cannot be started: {reason}", hint="does a script begin with a `#!` line?"
        ) from exc
    _running.add(process)
    return process


def exit_code(process: subprocess.Popen[bytes]) -> int | None:
    """How the process ended, or None while it runs; its number stays taken until it is reaped."""
    if process.returncode is not None:
        return process.returncode
    try:
        state = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return process.poll()
    if state is None:
        return None
    return state.si_status if state.si_code == os.CLD_EXITED else -state.si_status


def end_process_group(process: subprocess.Popen[bytes], *, patience: float = 0.02) -> int:
    """End a launched program and everything that is still its own; leave no zombie; return its exit code.

    It sees its input end and has `patience` seconds to leave, then the whole group is asked to
    terminate, and what is left of it is killed, with what it started elsewhere.
    """
    descendants = _descendants(process)
    try:
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
        if not _exits_within(process, patience):
            _signal_group(process, signal.SIGTERM)
            _exits_within(process, _TERMINATION_PATIENCE)
    finally:
        # The leader is still unreaped, so its number cannot mean another group.
        _signal_group(process, signal.SIGKILL)
        _kill(descendants)
        code = process.wait()
        _running.discard(process)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
    return code


def kill_every_process_group() -> None:
    """Kill whatever `launch` started and nobody ended yet, from any thread: for a user who pressed Ctrl-C.

    Whoever talks to one of the programs sees its output end, and reaps it.
    """
    for process in tuple(_running):
        descendants = _descendants(process)
        _signal_group(process, signal.SIGKILL)
        _kill(descendants)


def _descendants(process: subprocess.Popen[bytes]) -> list[int]:
    """Handles on the descendants of a program, wherever they have gone, where Linux tells."""
    found: list[int] = []
    waiting, seen = [process.pid] if process.returncode is None else [], 0
    while waiting and seen < _MOST_DESCENDANTS:
        parent = waiting.pop()
        for child in _children(parent):
            seen += 1
            waiting.append(child)
            with suppress(OSError):
                found.append(_handle(child, parent))
    return found


def _handle(child: int, parent: int) -> int:
    handle = os.pidfd_open(child)
    # Between being listed and being opened, the number may have gone to somebody else.
    if child in _children(parent):
        return handle
    os.close(handle)
    raise ProcessLookupError


def _children(parent: int) -> list[int]:
    children: list[int] = []
    for listed in Path(f"/proc/{parent}/task").glob("*/children"):
        with suppress(OSError):
            children += map(int, listed.read_text().split())
    return children


def _kill(handles: Iterable[int]) -> None:
    for handle in handles:
        with suppress(OSError):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        os.close(handle)


def _is_inherited(name: str) -> bool:
    return name in INHERITED or name.startswith(INHERITED_PREFIXES)


def _exits_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    end = time.monotonic() + seconds
    pause = 0.0005
    while exit_code(process) is None:
        if time.monotonic() >= end:
            return False
        time.sleep(pause)
        pause = min(pause * 2, 0.01)
    return True


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
