"""The two methods that a declared server adds to the protocol: `signature` and `tools/resolve`."""

import re
from typing import Final

from avow.core.canonical import DIGEST_PATTERN, JsonObject
from avow.protocol.events import shown
from avow.protocol.gate.signature import METHOD, signature_result
from avow.protocol.messages import INVALID_PARAMS
from avow.server.ledger import Ledger
from avow.server.seam import Request, Seam, refused

RESOLVE: Final = "tools/resolve"

_DIGEST: Final = re.compile(DIGEST_PATTERN)


class Answers:
    """Answers both from the ledger."""

    def __init__(self, ledger: Ledger) -> None:
        """Answer what this ledger holds."""
        self._ledger = ledger

    def serve(self, seam: Seam) -> None:
        """Let a server answer both methods."""
        seam.serve(METHOD, self.signature)
        seam.serve(RESOLVE, self.resolve)

    async def signature(self, request: Request) -> JsonObject:
        """The whole signature, or that it is the one the client knows."""
        known = request.params.get("knownDigest")
        if known is not None and not (isinstance(known, str) and _DIGEST.fullmatch(known)):
            raise refused(
                INVALID_PARAMS,
                "knownDigest is not a digest: it must be 'sha256:' and 64 lowercase hexadecimal digits",
                reason="malformed",
                argument="knownDigest",
            )
        generation = await self._ledger.open_session(request)
        # The SDK adds what its era asks of every result.
        return signature_result(generation.contract(request.protocol_version), known, None)

    async def resolve(self, request: Request) -> JsonObject:
        """The tool with the annotations and scopes of the first variant that fits the arguments."""
        name, arguments = request.params.get("name"), request.params.get("arguments", {})
        if not isinstance(name, str):
            raise refused(INVALID_PARAMS, "tools/resolve needs the name of a tool", reason="malformed")
        if not isinstance(arguments, dict):
            raise refused(
                INVALID_PARAMS, "the arguments of tools/resolve are not an object", reason="malformed"
            )
        generation = await self._ledger.holding_for(request)
        tool = generation.tool_for(name, arguments, request.protocol_version)
        if tool is None:
            message = f"tool '{shown(name)}' is not in the signature of this server"
            raise refused(INVALID_PARAMS, message, reason="unknown", kind="tool", name=shown(name))
        return {"tool": tool}
