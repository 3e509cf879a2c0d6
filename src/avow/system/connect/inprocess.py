"""A server that is a Python object: run in this process, yet spoken to through pipes.

The SDK's own standard-stream transport writes the messages, so what is read here is byte for byte
what any client would get.
"""

import logging
import os
import sys
import threading
from contextlib import AsyncExitStack, suppress
from importlib import import_module
from typing import Any, Final

from avow.core.target import PythonTarget
from avow.errors import AvowError, ServerLaunchError
from avow.system.connect.channel import LineChannel
from avow.system.connect.options import ConnectOptions, ServerExitedError
from avow.system.connect.words import Secrets, quoted

# Where the high-level servers of mcp 2.x, mcp 1.x and FastMCP keep the one that speaks the protocol.
_WRAPPED: Final = ("_lowlevel_server", "_mcp_server")
_FAREWELL: Final = 2.0


class _Hush:
    """While server objects run: what they print goes to standard error, and only errors are logged.

    Our own standard output may be a document, and a server's chatter belongs in neither stream.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._stdout = sys.stdout
        self._disabled = 0

    def begin(self) -> None:
        with self._lock:
            self._count += 1
            if self._count == 1:
                self._stdout, sys.stdout = sys.stdout, sys.stderr
                self._disabled = logging.root.manager.disable
                logging.disable(logging.WARNING)

    def end(self) -> None:
        with self._lock:
            self._count -= 1
            if self._count == 0:
                sys.stdout = self._stdout
                logging.disable(self._disabled)


_hush: Final = _Hush()


class PythonChannel(LineChannel):
    """A server object, running in a thread of its own."""

    def __init__(self, target: PythonTarget, options: ConnectOptions) -> None:
        """Import the object and start it.

        Raises:
            ServerLaunchError: there is no such module or object, or it is no MCP server.
        """
        _hush.begin()
        try:
            self._server = load(target.reference)
        except BaseException:
            _hush.end()
            raise
        self._problem: BaseException | None = None
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        self._ours = (ours_in, ours_out)
        super().__init__(target.reference, ours_in, ours_out, None, options.limits, Secrets(()))
        self._thread = threading.Thread(target=self._run, args=(theirs_in, theirs_out), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the server's input, and wait until it has left."""
        reading, writing = self._ours
        os.close(writing)
        self._thread.join(_FAREWELL)
        os.close(reading)
        _hush.end()

    def _run(self, reading: int, writing: int) -> None:
        import anyio

        source = open(reading, encoding="utf-8", errors="replace")  # noqa: SIM115 - a descriptor
        sink = open(writing, "w", encoding="utf-8")  # noqa: SIM115
        try:
            anyio.run(_serve, self._server, source, sink)
        except BaseException as exc:  # noqa: BLE001 - other people's code; whoever reads the pipe reports it
            self._problem = _innermost(exc)
        finally:
            # Nobody may be left to read what was not written yet.
            for stream in (source, sink):
                with suppress(OSError):
                    stream.close()

    def _ended(self) -> AvowError:
        self._thread.join(_FAREWELL)
        words = "" if self._problem is None else quoted(f"{type(self._problem).__name__}: {self._problem}")
        return ServerExitedError(f"{self.server} stopped before it had answered{words}")


def load(reference: str) -> Any:
    """The object that `package.module:object` names, which must be an MCP server.

    Raises:
        ServerLaunchError: there is none.
    """
    module_name, _, path = reference.partition(":")
    if "" not in sys.path and os.getcwd() not in sys.path:  # noqa: PTH109 - sys.path holds strings
        sys.path.insert(0, os.getcwd())  # noqa: PTH109
    try:
        found: Any = import_module(module_name)
    except ModuleNotFoundError as exc:
        if exc.name is not None and f"{module_name}.".startswith(f"{exc.name}."):
            raise ServerLaunchError(
                f"there is no Python module {module_name}", hint="is it installed, or in this directory?"
            ) from exc
        raise ServerLaunchError(f"{module_name} cannot be imported: {exc}") from exc
    except (Exception, SystemExit) as exc:
        raise ServerLaunchError(f"{module_name} cannot be imported: {type(exc).__name__}: {exc}") from exc
    for name in path.split("."):
        try:
            found = getattr(found, name)
        except AttributeError as exc:
            raise ServerLaunchError(f"the module {module_name} has no {path}") from exc
    if not _is_server(_lowlevel(found)):
        raise ServerLaunchError(
            f"{reference} is no MCP server but {type(found).__name__}",
            hint="name an MCPServer, a low-level Server or a FastMCP object",
        )
    return found


def _lowlevel(server: Any) -> Any:
    for name in _WRAPPED:
        wrapped = getattr(server, name, None)
        if wrapped is not None:
            return wrapped
    return server


def _is_server(server: Any) -> bool:
    return callable(getattr(server, "run", None)) and hasattr(server, "create_initialization_options")


async def _serve(server: Any, source: Any, sink: Any) -> None:
    import anyio
    from mcp.server.stdio import stdio_server

    lowlevel = _lowlevel(server)
    async with AsyncExitStack() as stack:
        # FastMCP keeps its start-up and shut-down code outside of the server that it wraps.
        lifespan = getattr(server, "_lifespan_manager", None)
        if lifespan is not None:
            await stack.enter_async_context(lifespan())
        transport = stdio_server(stdin=anyio.wrap_file(source), stdout=anyio.wrap_file(sink))
        read, write = await stack.enter_async_context(transport)
        async with read, write:
            await lowlevel.run(read, write, lowlevel.create_initialization_options())


def _innermost(problem: BaseException) -> BaseException:
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    return problem
