"""Questions about the log."""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

from avow.core.tlog import notes
from avow.core.tlog.checkpoint import add_cosignature, read_text
from avow.core.tlog.hashing import EMPTY_ROOT
from avow.core.tlog.notes import NoteSignature, VerifierKey
from avow.core.tlog.tree import Node
from avow.errors import MalformedInputError, StorageError
from avow.registry.model import Checkpoint, ConflictError
from avow.registry.store.database import Database


async def checkpoint(database: Database, size: int | None = None) -> Checkpoint | None:
    """The checkpoint of a size, or the newest."""
    if size is None:
        sql = "SELECT size, root, note FROM log_checkpoints ORDER BY size DESC LIMIT 1"
        rows = await database.fetch(sql)
    else:
        rows = await database.fetch("SELECT size, root, note FROM log_checkpoints WHERE size = $1", size)
    return Checkpoint(rows[0][0], bytes(rows[0][1]), bytes(rows[0][2])) if rows else None


async def key(database: Database) -> VerifierKey:
    """The key of the log, as it was begun: to know it, nobody needs the private one.

    Raises:
        StorageError: it is gone or damaged.
    """
    rows = await database.fetch("SELECT verifier FROM registry_log WHERE one = 1")
    try:
        return notes.read_verifier_key(rows[0][0] if rows else "")
    except MalformedInputError as exc:
        raise StorageError(f"the key of the log is damaged: {exc.message}", hint="restore a backup") from exc


async def newest_checkpoint(database: Database) -> Checkpoint:
    """The newest checkpoint; an empty one that nobody signed where nothing was ever recorded."""
    return await checkpoint(database) or Checkpoint(0, EMPTY_ROOT, b"")


async def entries(database: Database, first: int, last: int) -> list[bytes]:
    """Entries from `first` to `last`, exclusive."""
    sql = "SELECT entry FROM log_entries WHERE number >= $1 AND number < $2 ORDER BY number"
    return [bytes(row[0]) for row in await database.fetch(sql, first, last)]


async def entry(database: Database, index: int) -> bytes:
    """One entry.

    Raises:
        StorageError: it is not there, although something refers to it.
    """
    found = await entries(database, index, index + 1)
    if not found:
        raise StorageError(f"entry {index} of the log is missing: it is damaged", hint="restore a backup")
    return found[0]


def place(node: Node) -> int:
    """Where a hash is stored: hashes are numbered in the order in which they become known."""
    last = ((node.number + 1) << node.level) - 1
    return 2 * last - last.bit_count() + node.level


async def nodes(database: Database, wanted: Iterable[Node]) -> Mapping[Node, bytes]:
    """Stored hashes."""
    places = {place(node): node for node in wanted}
    rows = await database.fetch_each("SELECT place, hash FROM log_nodes WHERE place IN ($many)", places)
    return {places[number]: bytes(value) for number, value in rows}


async def cosigned(database: Database, witness: str | None = None) -> Checkpoint | None:
    """The newest checkpoint that a witness has signed, or that any has."""
    sql = (
        "SELECT c.size, c.root, c.note FROM witnesses w CROSS JOIN log_checkpoints c WHERE c.size = w.size "
        "AND ($1 = '' OR w.witness = $1) ORDER BY w.size DESC LIMIT 1"
    )
    rows = await database.fetch(sql, witness or "")
    return Checkpoint(rows[0][0], bytes(rows[0][1]), bytes(rows[0][2])) if rows else None


async def cosign(database: Database, _: object, text: str, signatures: Sequence[NoteSignature]) -> Checkpoint:
    """Add the lines of witnesses to what is below a checkpoint by now.

    Raises:
        ConflictError: this is not the text of a checkpoint of this log.
    """
    size = read_text(text).size
    found = await checkpoint(database, size)
    if found is None or notes.loads(found.note).text != text:
        raise ConflictError(
            f"this log has never signed that checkpoint of {size} entries",
            hint="if it is signed by this log's key all the same, keep it: it is evidence",
        )
    note = reduce(add_cosignature, signatures, found.note)
    await database.run("UPDATE log_checkpoints SET note = $2 WHERE size = $1", [(size, note)])
    sql = (
        "INSERT INTO witnesses (witness, size) VALUES ($1, $2) ON CONFLICT (witness) "
        "DO UPDATE SET size = excluded.size WHERE excluded.size > witnesses.size"
    )
    await database.run(sql, [(each.author, size) for each in signatures])
    return Checkpoint(size, found.root, note)
