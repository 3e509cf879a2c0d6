"""Whether a server that declares a signature keeps to it."""

from collections.abc import Iterator

from avow.audit.live import rules
from avow.audit.live.surface import Surface
from avow.audit.live.talk import Talk
from avow.audit.model import Finding
from avow.core.canonical import JsonObject
from avow.core.capability import Kind
from avow.core.printable import printable
from avow.errors import MalformedInputError
from avow.protocol.gate.signature import METHOD, advertised_digest, is_advertised, read_declaration
from avow.system.connect.options import Limits


def judge_signature(talk: Talk, surface: Surface, params: JsonObject | None = None) -> Iterator[Finding]:
    """Hold the lists of a session against the signature that the server declares in it."""
    if not is_advertised(surface.capabilities):
        return
    reply = talk.request(METHOD, params)
    number = talk.last
    if reply.result is None:
        if reply.came:
            message = "declares a signature, and does not hand it out"
            yield rules.DECLARED_MISSING.finding(message, evidence=talk.proof(number))
        return
    try:
        declared = read_declaration(reply.result, Limits().signature_items)
    except MalformedInputError as exc:
        message = f"declares a signature that cannot be read: {printable(exc.message, 200, fold=True)}"
        yield rules.SIGNATURE_VIOLATED.finding(message, evidence=talk.proof(number))
        return
    advertised = advertised_digest(surface.capabilities)
    if advertised is not None and advertised != declared.signature.digest:
        message = "hands out another signature than the one whose digest it advertises"
        yield rules.SIGNATURE_VIOLATED.finding(message, evidence=talk.proof(number))
    for kind in Kind:
        outside = sorted(surface.items[kind].keys() - declared.signature.of_kind(kind).keys())
        if outside and kind not in declared.open_kinds:
            names = ", ".join(printable(name, 60, fold=True) for name in outside[:5])
            message = f"lists {kind.collection} outside its signature: {names}"
            evidence = talk.proof(surface.asked[kind], number, about=outside)
            yield rules.SIGNATURE_VIOLATED.finding(message, evidence=evidence)
