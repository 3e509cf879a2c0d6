"""Reading what was approved, from a lockfile of ours or of MCPTrust."""

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, Union

from avow.core.canonical import MAX_FILE_DEPTH, parse_json
from avow.core.lockfile import Entry
from avow.errors import LockfileError, MalformedInputError
from avow.system.files import read_bounded
from avow.system.lockfiles import read_lockfile
from avow.system.naming import slug, suggest_name

if TYPE_CHECKING:
    # Few have such a file, and everybody would wait for it to load.
    from avow.core.mcptrust import MCPTrustLockfile

Approved: TypeAlias = Union[Entry, "MCPTrustLockfile"]


def read_approved(path: Path) -> dict[str, Approved]:
    """What a lockfile approves, by name; one of MCPTrust holds a single server.

    Raises:
        StorageError: there is no such file, or it cannot be read.
        LockfileError: it is not what it says it is.
    """
    if path.suffix == ".json" and _is_mcptrust(path):
        locked = read_mcptrust(path)
        return {mcptrust_name(locked): locked}
    return dict(read_lockfile(path).servers)


def read_mcptrust(path: Path) -> "MCPTrustLockfile":
    """A lockfile of MCPTrust.

    Raises:
        StorageError: there is no such file, or it cannot be read.
        LockfileError: it is not what it says it is.
    """
    from avow.core.mcptrust import loads_mcptrust

    data = read_bounded(path)
    try:
        return loads_mcptrust(data)
    except LockfileError as exc:
        raise LockfileError(f"{path}: {exc.message}", hint=exc.hint) from exc


def mcptrust_name(locked: "MCPTrustLockfile") -> str:
    """What to call the server of an MCPTrust lockfile, which has no names."""
    return slug(locked.server) or (suggest_name(locked.target) if locked.target else "server")


def _is_mcptrust(path: Path) -> bool:
    from avow.core.mcptrust import is_mcptrust

    try:
        return is_mcptrust(parse_json(read_bounded(path), max_depth=MAX_FILE_DEPTH))
    except MalformedInputError:
        # Whoever reads it as a lockfile of ours says what is wrong with it.
        return False
