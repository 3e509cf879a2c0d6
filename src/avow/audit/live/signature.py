"""Whether a server that declares a signature keeps to it."""

from collections.abc import Iterator

from avow.audit.live import rules
from avow.audit.live.surface import Surface
from avow.audit.live.talk import Talk
from avow.audit.model import Finding
from avow.core.canonical import JsonObject
from avow.core.capability import Kind
from avow.core.printable import printable
from avow.errors import DeclarationError
from avow.protocol.gate.signature import is_advertised, read_declaration
from avow.system.connect.options import Limits


def outside_signature(talk: Talk, surface: Surface, params: JsonObject | None = None) -> Iterator[Finding]:
    """Hold the lists of a session against the signature that the server declares in it."""
    if not is_advertised(surface.capabilities):
        return
    reply = talk.request("signature", params)
    if reply.result is None:
        message = "declares a signature, and does not hand it out"
        yield rules.DECLARED_MISSING.finding(message, evidence=talk.record)
        return
    try:
        declared = read_declaration(reply.result, Limits().signature_items)
    except DeclarationError as exc:
        message = f"declares a signature that cannot be read: {exc.message}"
        yield rules.SIGNATURE_VIOLATED.finding(message, evidence=talk.record)
        return
    if reply.result.get("digest") != declared.signature.digest:
        message = "declares a signature whose digest is not the one that it claims"
        yield rules.SIGNATURE_VIOLATED.finding(message, evidence=talk.record)
    for kind in Kind:
        outside = sorted(surface.items[kind].keys() - declared.signature.of_kind(kind).keys())
        if outside and kind not in declared.open_kinds:
            names = ", ".join(printable(name, 60) for name in outside[:5])
            message = f"lists {kind.collection} outside its signature: {names}"
            yield rules.SIGNATURE_VIOLATED.finding(message, evidence=talk.record)
