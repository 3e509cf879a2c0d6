"""What a client file says about its servers, as values; secrets in it never show in a `repr`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from avow.core.target import Target
from avow.errors import UsageError
from avow.system.clients.edits import Location


@dataclass(frozen=True, slots=True)
class ConfiguredServer:
    """One server of a client's configuration.

    `target` may be stored: placeholders in it stay as the file writes them. `launch` is the same with
    placeholders replaced, to connect with and then forget. `missing` names variables that the
    entry refers to and the environment does not have; where they were the value of an environment
    variable or a header, that one is left out of `env` or `headers`.
    """

    name: str
    target: Target
    env: Mapping[str, str] = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    path: Path
    client: str
    scope: str
    launch: Target = field(repr=False)
    location: Location = ()
    protected: bool = False
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SkippedServer:
    """A server, or with an empty name a whole file, that could not be used, and why.

    `disabled` says that the user told the client to leave it out.
    """

    name: str
    reason: str
    path: Path
    client: str
    scope: str
    hint: str = ""
    disabled: bool = False


@dataclass(frozen=True, slots=True)
class FoundServers:
    """Everything that the configurations at hand say."""

    servers: tuple[ConfiguredServer, ...]
    skipped: tuple[SkippedServer, ...]

    def named(self, name: str) -> ConfiguredServer:
        """The server of that name; of several, the one of the most specific scope found first.

        Raises:
            UsageError: there is none, or it cannot be used: the message says why.
        """
        for server in self.servers:
            if server.name == name:
                return server
        for skipped in self.skipped:
            if skipped.name == name:
                raise UsageError(f"{name} in {skipped.path}: {skipped.reason}", hint=skipped.hint)
        known = sorted({server.name for server in self.servers})
        raise UsageError(
            f"no MCP client configuration has a server called {name!r}",
            hint=f"these are configured: {', '.join(known)}" if known else "give a file with --config",
        )
