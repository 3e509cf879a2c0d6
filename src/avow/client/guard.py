"""One guarded connection: its gate, what has been reported, and what is known of the server from before."""

import logging
import time
from collections import deque
from typing import Any, Final

import anyio
import anyio.to_thread

from avow.client.cache import SignatureCache
from avow.client.errors import NoSignatureError, SignatureTimeoutError, SignatureUnusableError
from avow.client.policy import Guarding
from avow.core.capability import Kind, Signature
from avow.core.contract import ContractSource
from avow.core.severity import Severity
from avow.core.snapshot import Era
from avow.errors import AvowError
from avow.protocol.events import Event, event
from avow.protocol.gate import Decision, Declaration, Gate
from avow.protocol.gate.refusal import OUTSIDE_CONTRACT
from avow.protocol.gate.signature import advertised_digest, is_advertised

SIGNATURE_CHANGED: Final = "notifications/signature/changed"
TOO_LATE: Final = "the server did not answer in time"
LIST_CHANGED: Final = {
    "notifications/tools/list_changed": (Kind.TOOL,),
    "notifications/prompts/list_changed": (Kind.PROMPT,),
    "notifications/resources/list_changed": (Kind.RESOURCE, Kind.TEMPLATE),
}

_LIFETIME: Final = 30.0
"""After so many seconds the lists of a stateless server, which need not announce a change, are old."""
_REMEMBERED: Final = 16

logger = logging.getLogger(__name__)


class Guard:
    """What a guarded connection knows and reports; messages are carried elsewhere."""

    def __init__(
        self, guarding: Guarding, name: str, cache: SignatureCache | None = None, identity: str | None = None
    ) -> None:
        """Hold one connection as `guarding` says; `name` is what errors call the server."""
        self.guarding = guarding
        self.gate = Gate(guarding.read_contract(), guarding.gate_policy(), name)
        self._cache = cache
        self._identity = identity
        self._recalled: Declaration | None = None
        self._kept: Signature | None = None
        self._saved = anyio.Event()
        self._saved.set()
        self._troubles: deque[Event] = deque(maxlen=_REMEMBERED)
        self._settled = anyio.Event()
        self._stale: set[Kind] = set()
        self._news = anyio.Event()
        self._compared_at = time.monotonic()

    def report(self, events: tuple[Event, ...]) -> None:
        """Tell the user; what the user's own code raises is the user's, and changes nothing here."""
        for happened in events:
            if happened.event in ("verification_failed", "contract_rejected"):
                self._troubles.append(happened)
            if self.guarding.on_event is not None:
                try:
                    self.guarding.on_event(happened)
                except Exception:
                    logger.exception("on_event raised")

    def violations(self, decision: Decision) -> tuple[Event, ...]:
        """What in an answer is reason to refuse the whole of it."""
        if not self.guarding.raises:
            return ()
        return tuple(found for found in decision.events if found.severity is Severity.CRITICAL)

    def tell(self, method: str) -> None:
        """A notification of the server came."""
        if method == SIGNATURE_CHANGED:
            detail = "the contract stays until refresh_signature() is called and approves the drift"
            self.report((event("signature_announced", Severity.MODERATE, kind="server", detail=detail),))
        elif kinds := LIST_CHANGED.get(method):
            self._stale.update(kinds)
            self._news.set()

    async def changed_kinds(self) -> set[Kind]:
        """Wait until lists have changed, and say which."""
        await self._news.wait()
        self._news = anyio.Event()
        kinds, self._stale = self._stale, set()
        return kinds

    def pass_time(self) -> None:
        """Compare the lists of a stateless server again when the last look was too long ago."""
        now = time.monotonic()
        if now - self._compared_at > _LIFETIME:
            self._compared_at = now
            if self.gate.era is Era.MODERN:
                self.gate.expire()

    def settle(self) -> None:
        """Wake whoever waits for the gate to know what it wants to know."""
        if not self.gate.is_asking:
            self._settled.set()

    async def when_settled(self) -> None:
        """Wait until the gate has no question open."""
        while self.gate.is_asking:
            if self._settled.is_set():
                self._settled = anyio.Event()
            await self._settled.wait()

    def failure(self) -> AvowError:
        """Why there is no contract."""
        last = self._troubles[-1] if self._troubles else None
        if last is not None and last.event == "contract_rejected":
            facts = {"avow": {"reason": "no_signature", "kind": "server", "severity": "critical"}}
            message = "avow: the server declares no signature, and policy asks for one"
            return NoSignatureError(OUTSIDE_CONTRACT, message, facts)
        if last is not None and last.detail == TOO_LATE:
            return SignatureTimeoutError(
                f"the server did not answer {last.name} within {self.guarding.timeout:g} seconds",
                hint="start it again, or give it more time with timeout=",
            )
        why = f": {last.name}: {last.detail}" if last is not None else ""
        return SignatureUnusableError(
            f"what the server declares cannot be a contract{why}", hint="tell the server's author"
        )

    async def presented(self, result: dict[str, Any]) -> None:
        """The server presents itself: recall what it declared before, if it says that it declares."""
        capabilities = result.get("capabilities")
        if self._cache is None or self._identity is None or self.gate.contract is not None:
            return
        if isinstance(capabilities, dict) and is_advertised(capabilities):
            digest = advertised_digest(capabilities)
            known = await anyio.to_thread.run_sync(self._cache.load, self._identity, digest)
            if known is not None:
                self._recalled = known
                self.gate.recall(known)

    def unsaved(self) -> Signature | None:
        """The signature that the server declared and that should be kept; once."""
        contract = self.gate.contract
        if (
            contract is None
            or self._cache is None
            or self._identity is None
            or contract.source is not ContractSource.DECLARED
            or contract.open
            or contract.signature is self._kept
        ):
            return None
        self._kept = contract.signature
        if self._recalled is not None and contract.signature is self._recalled.signature:
            return None
        self._saved = anyio.Event()
        return contract.signature

    async def save(self, signature: Signature) -> None:
        """Keep a signature on disk."""
        assert self._cache is not None
        assert self._identity is not None
        try:
            await anyio.to_thread.run_sync(self._cache.store, self._identity, signature)
        finally:
            self._saved.set()

    async def when_saved(self) -> None:
        """Wait until what should be kept is kept: a short connection is worth remembering, too."""
        await self._saved.wait()
