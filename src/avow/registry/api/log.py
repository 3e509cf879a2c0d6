"""The log over HTTP: checkpoints and tiles as C2SP has them, and proofs for those who want them made."""

from collections.abc import Iterable
from typing import Final

from avow.core.canonical import JsonObject
from avow.core.tlog import notes, tiles
from avow.core.tlog.tiles import Bundle
from avow.core.tlog.tree import (
    Node,
    consistency_proof,
    inclusion_proof,
    nodes_of_consistency,
    nodes_of_inclusion,
    nodes_of_root,
    root,
)
from avow.errors import MalformedInputError, StorageError
from avow.registry.api import documents, schemas
from avow.registry.api.endpoints import Answer, Body, Call, Endpoint, Parameter
from avow.registry.api.reading import NAME_IN_PATH, VERSION_IN_PATH, name_of
from avow.registry.approvals import found_version
from avow.registry.model import Checkpoint, NotFoundError, Proof
from avow.registry.store.interface import Store

_FOR_GOOD: Final = {"cache-control": "public, max-age=31536000, immutable"}
_TEXT: Final = "text/plain; charset=utf-8"
_HASH: Final = "[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]="
_SIGNED: Final = "([A-Za-z0-9+/]{4}){2,40}([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?"
# A text, an empty line, and lines of signatures: a dash, a name, and at least five bytes in base64.
_NOTE: Final[JsonObject] = {
    "type": "string",
    "maxLength": 16_000,
    "pattern": f"^[!-~]{{1,99}}\\n[1-9][0-9]{{0,17}}\\n{_HASH}\\n\\n"
    f"(\u2014 [!-*,-~]{{1,99}} {_SIGNED}\\n){{1,16}}$",
}
_WITNESS: Final = {"type": "string", "maxLength": 264, "pattern": "^[!-*,-~]{1,255}\\+[0-9a-f]{8}$"}
_SIZE: Final = {"type": "integer", "minimum": 0, "maximum": 2**62}


async def checkpoint(call: Call) -> Answer:
    """The newest signed checkpoint."""
    found = await _newest(call.service.store)
    return Answer(found.note, content_type=_TEXT)


async def tile(call: Call) -> Answer:
    """A tile of hashes or of entries."""
    try:
        served = tiles.read_path(f"tile/{call.arguments['path']}")
    except MalformedInputError as error:
        raise NotFoundError(error.message) from error
    store = call.service.store
    if not served.is_part_of((await _newest(store)).size):
        raise NotFoundError("the log is not that long yet")
    if isinstance(served, Bundle):
        entries = await store.entries(served.entries.start, served.entries.stop)
        data = tiles.dump_bundle(entries)
    else:
        data = tiles.dump_tile(await _hashes(store, served.nodes))
    headers = {} if call.service.settings.private else _FOR_GOOD
    return Answer(data, content_type="application/octet-stream", headers=headers)


async def key(call: Call) -> Answer:
    """The key that checkpoints are signed with."""
    return Answer({"origin": call.service.origin, "key": call.service.log_key})


async def inclusion(call: Call) -> Answer:
    """What shows that an entry is in the log."""
    return await _proof(call.service.store, call.arguments["index"], call.arguments.get("size"))


async def proof_of_version(call: Call) -> Answer:
    """The same for the entry of a publication."""
    store = call.service.store
    found = await found_version(store, name_of(call), call.arguments["version"])
    return await _proof(store, found.log_index, call.arguments.get("size"))


async def consistency(call: Call) -> Answer:
    """What shows that the log of one size begins with all of a smaller one."""
    store = call.service.store
    old, new = call.arguments["from"], call.arguments.get("to", (await _newest(store)).size)
    await _check_size(store, new)
    if old > new:
        raise NotFoundError(f"a log of {new} entries cannot begin with {old}")
    known = await _known(store, nodes_of_consistency(old, new))
    hashes = consistency_proof(old, new, known.__getitem__)
    return Answer({"from": old, "to": new, "hashes": documents.hashes(hashes)})


async def cosign(call: Call) -> Answer:
    """Keep what a witness signed below a checkpoint of this log; its signature is all the right it needs."""
    given = notes.loads(call.document["note"].encode())
    verified = notes.verify(given, call.service.settings.witnesses)
    known = {each.key.author for each in verified.by}
    made = [each for each in given.signatures if each.author in known]
    kept = await call.service.store.cosign(verified.text, made)
    return Answer({"size": kept.size, "witnesses": [each.key.name for each in verified.by]})


async def cosigned(call: Call) -> Answer:
    """The newest checkpoint that a witness has signed, with all signatures below it."""
    found = await call.service.store.cosigned(call.arguments.get("witness"))
    if found is None:
        raise NotFoundError(
            "no checkpoint is cosigned by that witness"
            if "witness" in call.arguments
            else "no witness signed"
        )
    return Answer(found.note, content_type=_TEXT)


async def _proof(store: Store, index: int, size: int | None) -> Answer:
    found = await _newest(store) if size is None else await store.checkpoint(size)
    size = found.size if size is None and found is not None else size
    assert size is not None
    await _check_size(store, size)
    if index >= size:
        raise NotFoundError(f"a log of {size} entries has no entry {index}")
    known = await _known(store, {*nodes_of_inclusion(index, size), *nodes_of_root(size)})
    [entry] = await store.entries(index, index + 1)
    made = Proof(index, size, inclusion_proof(index, size, known.__getitem__))
    return Answer(documents.proof(made, root(size, known.__getitem__), entry, found))


async def _newest(store: Store) -> Checkpoint:
    found = await store.checkpoint()
    if found is None:
        raise NotFoundError("the log has no entries yet", hint="publish something first")
    return found


async def _check_size(store: Store, size: int) -> None:
    newest = (await _newest(store)).size
    if size > newest:
        raise NotFoundError(f"the log has {newest} entries, not {size}")


async def _known(store: Store, wanted: Iterable[Node]) -> dict[Node, bytes]:
    nodes = list(wanted)
    return dict(zip(nodes, await _hashes(store, nodes), strict=True))


async def _hashes(store: Store, nodes: Iterable[Node]) -> list[bytes]:
    wanted = list(nodes)
    found = await store.nodes(wanted)
    try:
        return [found[node] for node in wanted]
    except KeyError:
        raise StorageError("hashes of the log are missing: it is damaged", hint="restore a backup") from None


ENDPOINTS: Final = (
    Endpoint(
        "GET",
        "/checkpoint",
        "The newest signed checkpoint (C2SP tlog-checkpoint)",
        checkpoint,
        {"type": "string"},
        answer_type="text/plain",
    ),
    Endpoint(
        "GET",
        "/api/v1/log/key",
        "The key that checkpoints are signed with",
        key,
        schemas.objects({"origin": schemas.TEXT, "key": schemas.TEXT}),
    ),
    Endpoint(
        "GET",
        "/api/v1/log/inclusion",
        "What shows that an entry is in the log",
        inclusion,
        schemas.reference("Proof"),
        parameters=(
            Parameter("index", _SIZE, "Which entry, from 0.", required=True),
            Parameter("size", _SIZE, "Of how many entries the log is; all of them unless said."),
        ),
    ),
    Endpoint(
        "GET",
        "/api/v1/log/consistency",
        "What shows that the log of one size begins with all of a smaller one",
        consistency,
        schemas.objects({"from": schemas.COUNT, "to": schemas.COUNT, "hashes": schemas.HASHES}),
        parameters=(
            Parameter("from", _SIZE, "The smaller size.", required=True),
            Parameter("to", _SIZE, "The larger size; that of the whole log unless said."),
        ),
    ),
    Endpoint(
        "POST",
        "/api/v1/log/cosignatures",
        "Keep what a witness of this log signed below one of its checkpoints (C2SP tlog-cosignature)",
        cosign,
        schemas.objects({"size": schemas.COUNT, "witnesses": schemas.lists(schemas.TEXT)}),
        body=Body(schemas.objects({"note": _NOTE}, closed=True)),
    ),
    Endpoint(
        "GET",
        "/api/v1/log/cosigned",
        "The newest checkpoint that a witness has signed",
        cosigned,
        {"type": "string"},
        parameters=(
            Parameter("witness", _WITNESS, "The beginning of its key, `name+identifier`; any unless said."),
        ),
        answer_type="text/plain",
    ),
    Endpoint(
        "GET",
        "/api/v1/servers/{namespace}/{server}/versions/{version}/proof",
        "What shows that the publication of a version is in the log",
        proof_of_version,
        schemas.reference("Proof"),
        parameters=(
            *NAME_IN_PATH,
            VERSION_IN_PATH,
            Parameter("size", _SIZE, "Of how many entries the log is; all of them unless said."),
        ),
    ),
)

TILE: Final = Endpoint(
    "GET",
    "/tile/{path:path}",
    "A tile (C2SP tlog-tiles)",
    tile,
    {"type": "string"},
    parameters=(Parameter("path", schemas.TEXT, "As tlog-tiles has it.", required=True, in_path=True),),
)
