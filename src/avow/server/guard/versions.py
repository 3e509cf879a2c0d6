"""Downgrades: which version a session may run on, and what an older one costs it."""

from avow.core.canonical import JsonObject
from avow.core.capability import Capability, Kind
from avow.core.risk.low import LowTools
from avow.core.severity import Severity
from avow.core.snapshot import Era
from avow.protocol.events import event, shown
from avow.protocol.gate.refusal import Reason, Refusal, outside
from avow.protocol.gate.stateless import unsupported
from avow.protocol.messages import INVALID_PARAMS
from avow.protocol.negotiation import (
    Agreement,
    UnknownVersions,
    VersionPolicy,
    choose_version,
    judge_version,
    served_versions,
)
from avow.server.guard.catalogue import Catalogue
from avow.server.guard.sessions import Session, found_session, session_of
from avow.server.guard.trail import Trail
from avow.server.seam import Part, Request


class Versions(Part):
    """Agrees on a version as policy says, and writes every downgrade down."""

    before_methods = frozenset({"initialize"})

    def __init__(self, policy: VersionPolicy, unknown: UnknownVersions, trail: Trail) -> None:
        """Judge by `policy`; `unknown` says what happens to versions that are not served."""
        self._policy = policy
        self._unknown = unknown
        self._trail = trail
        self._judged: dict[tuple[str, str], Agreement] = {}

    async def before(self, request: Request) -> None:
        """Settle the version of a session."""
        session = session_of(request)
        if session.era is Era.LEGACY and not request.is_notification:
            self._negotiate(request, session)

    def judge(self, session: Session) -> None:
        """Judge a request that is its own session.

        Raises:
            MCPError: its version is not served.
        """
        self._judge(session, session.version, session.version)

    def _negotiate(self, request: Request, session: Session) -> None:
        requested = request.params.get("protocolVersion")
        if not isinstance(requested, str):
            return  # The SDK says what an `initialize` has to have.
        chosen = choose_version(requested, self._policy, self._unknown)
        if chosen is None:
            raise self._trail.refuse(
                self._not_served(requested), session, requested=shown(requested), **self._lines
            )
        if chosen != requested:
            # The SDK reads the parameters once more when it settles the session's version.
            request.sdk.params["protocolVersion"] = chosen  # type: ignore[index]
        capabilities = request.params.get("capabilities")
        session.client_capabilities = capabilities if isinstance(capabilities, dict) else {}
        session.version = chosen
        self._judge(session, chosen, requested)

    def _judge(self, session: Session, agreed: str, requested: str) -> None:
        agreement = self._judged.get((agreed, requested))
        if agreement is None:
            agreement = judge_version(agreed, self._policy, requested=requested)
            if requested == agreed:
                # There are few versions, and any number of things that a client may ask for.
                self._judged[agreed, requested] = agreement
        for happened in agreement.events:
            self._trail.tell(happened, session, requested=shown(requested), agreed=agreed, **self._lines)
        if agreement.refused:
            refusal = unsupported(agreed) if session.era is Era.MODERN else self._not_served(agreed)
            raise self._trail.refuse(refusal, session, requested=shown(requested))
        session.is_restricted = agreement.restricted

    def _not_served(self, requested: str) -> Refusal:
        served = [*served_versions(self._policy, Era.LEGACY), *served_versions(self._policy, Era.MODERN)]
        return Refusal(
            INVALID_PARAMS,
            "avow: unsupported protocol version",
            event("protocol_refused", Severity.MODERATE, detail="the protocol version is not served"),
            {"supported": served, "requested": shown(requested)},
        )

    @property
    def _lines(self) -> dict[str, str | None]:
        policy = self._policy
        return {"preferred": policy.preferred, "baseline": policy.baseline, "minimum": policy.minimum}


class Restriction(Part):
    """The compensating control: below the baseline, only tools that are rated low."""

    before_methods = frozenset({"tools/call"})
    after_methods = frozenset({"tools/list"})
    minds_nested = True

    def __init__(self, catalogue: Catalogue, trail: Trail) -> None:
        """Look tools up in `catalogue`."""
        self._catalogue = catalogue
        self._trail = trail
        self._low = LowTools()

    async def before(self, request: Request) -> None:
        """Refuse calls of anything else."""
        session = found_session(request)
        if session is None or not session.is_restricted:
            return
        name = str(request.params.get("name"))
        definition = await self._catalogue.called_tool(name, request)
        if definition is None or not self._is_low(definition):
            raise self._trail.refuse(
                outside(Reason.RESTRICTED, Kind.TOOL, name), session, version=session.version
            )

    async def after(self, request: Request, result: JsonObject) -> None:
        """Leave anything else out of the list."""
        result["tools"] = await self.visible(Kind.TOOL, result.get("tools", []), request)

    async def visible(self, kind: Kind, definitions: list[JsonObject], request: Request) -> list[JsonObject]:
        """Those of some capabilities that the session may use."""
        session = found_session(request)
        if kind is not Kind.TOOL or session is None or not session.is_restricted:
            return definitions
        return [definition for definition in definitions if self._is_low(definition)]

    def _is_low(self, definition: JsonObject) -> bool:
        return Capability.read(Kind.TOOL, definition) in self._low
