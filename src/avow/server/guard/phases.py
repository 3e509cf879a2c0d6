"""Initialization integrity: what may be said in which phase, and on whose word."""

from typing import Final

from mcp_types import InitializedNotification
from pydantic import ValidationError

from avow.core.canonical import JsonObject
from avow.core.severity import Severity
from avow.core.snapshot import Era
from avow.protocol.events import event
from avow.protocol.gate.refusal import Refusal, invalid_params, invalid_request
from avow.protocol.gate.session import Phase
from avow.protocol.gate.stateless import CAPABILITIES_KEY, VERSION_KEY, is_modern, read_claims
from avow.protocol.messages import encode
from avow.protocol.versions import MODERN
from avow.server.guard.sessions import Session, Sessions
from avow.server.guard.trail import Trail
from avow.server.guard.versions import Versions
from avow.server.seam import Dropped, Part, Request

LARGEST_INITIALIZE: Final = 64 * 1024
"""Bytes of an `initialize`: the SDK keeps its parameters as long as the session lives."""

_VERSION_HEADER: Final = "mcp-protocol-version"


class Phases(Part):
    """The first part of the guard: whatever comes at the wrong time goes no further."""

    after_methods = frozenset({"initialize"})

    def __init__(
        self, sessions: Sessions, versions: Versions, trail: Trail, *, allow_sessionless: bool
    ) -> None:
        """Hold sessions to their phases; `allow_sessionless` lets in who cannot have any."""
        self._sessions = sessions
        self._versions = versions
        self._trail = trail
        self._allow_sessionless = allow_sessionless

    async def before(self, request: Request) -> None:
        """Let a message pass, drop it or refuse it.

        Nothing here waits: the SDK starts messages in the order in which they came, so that a request
        right behind `notifications/initialized` finds the session active.
        """
        session = self._sessions.open(request)
        try:
            if request.is_notification:
                self._notified(request, session)
            elif session.era is Era.MODERN:
                session.client_capabilities = _claimed_capabilities(request)
                self._versions.judge(session)
            else:
                self._asked(request, session)
        except Refusal as refusal:
            raise self._trail.refuse(refusal, session, method=request.method) from None

    async def after(self, request: Request, result: JsonObject) -> None:  # noqa: ARG002
        """The server has answered `initialize`, and everybody who had something to say about it agreed."""
        session = self._sessions.open(request)
        if request.method == "initialize" and session.has_handshake:
            session.phase = Phase.INIT_SENT

    def _asked(self, request: Request, session: Session) -> None:
        if not session.has_handshake:
            if not self._allow_sessionless:
                raise invalid_request(
                    "this transport keeps no sessions, so that nobody can tell whether one was initialized; "
                    "speak 2026-07-28, which needs none",
                    what="phase_violation",
                    name=request.method,
                )
            if is_modern(request.params):
                message = "the header names another protocol version than the request"
                raise invalid_request(message, what="era_violation", name=request.method)
            self._versions.judge(session)
            return
        if request.method == "initialize":
            _check_initialize(request, session)
        elif session.phase is not Phase.ACTIVE:
            if request.method != "ping":
                message = f"the session is {session.phase}, not active"
                raise invalid_request(message, what="phase_violation", name=request.method)
        elif is_modern(request.params):
            message = "this session began with initialize"
            raise invalid_request(message, what="era_violation", name=request.method)
        elif _other_version(request, session):
            message = "the header names another protocol version than the session"
            raise invalid_request(message, what="header_mismatch", name=request.method)

    def _notified(self, request: Request, session: Session) -> None:
        if request.method == "notifications/initialized":
            if not _is_readable(request):
                self._drop(request, session, "message_refused")
            elif session.era is Era.LEGACY and session.phase is Phase.INIT_SENT:
                session.phase = Phase.ACTIVE
                self._sessions.finished(request)
                self._trail.tell(event("session_active", Severity.INFO, name=session.version), session)
            elif session.has_handshake:
                self._drop(request, session, "unexpected_initialized")
        elif session.phase is not Phase.ACTIVE and request.method != "notifications/cancelled":
            self._drop(request, session, "phase_violation")

    def _drop(self, request: Request, session: Session, what: str) -> None:
        detail = f"dropped: the session is {session.phase}"
        self._trail.tell(event(what, Severity.MODERATE, name=request.method, detail=detail), session)
        raise Dropped


def _is_readable(request: Request) -> bool:
    """Whether the SDK, which drops what it cannot read, takes this for the end of a handshake as well."""
    try:
        document = {"method": request.method, "params": request.sdk.params}
        InitializedNotification.model_validate(document, by_name=False)
    except ValidationError:
        return False
    return True


def _claimed_capabilities(request: Request) -> JsonObject:
    """What the client says on this request that it can do; whatever is amiss is refused as the gate does."""
    meta = request.params.get("_meta")
    if isinstance(meta, dict) and meta.get(VERSION_KEY) in MODERN:
        capabilities = meta.get(CAPABILITIES_KEY)
        if isinstance(capabilities, dict):
            return capabilities
    return read_claims(request.method, request.params, None).capabilities


def _check_initialize(request: Request, session: Session) -> None:
    if session.phase is not Phase.AWAITING_INIT:
        raise invalid_request("a session is initialized once", what="phase_violation", name="initialize")
    if len(encode(request.params)) > LARGEST_INITIALIZE:
        raise invalid_params(f"initialize has more than {LARGEST_INITIALIZE} bytes of parameters")


def _other_version(request: Request, session: Session) -> bool:
    headers = getattr(request.sdk.request, "headers", None)
    said = headers.get(_VERSION_HEADER) if headers is not None else None
    return said is not None and said != session.version
