"""For client authors: the SDK's client, or a framework's session, held to what a server declares."""

from avow.client.cache import SignatureCache
from avow.client.client import GuardedClient
from avow.client.errors import (
    AnswerRefusedError,
    CallRefusedError,
    ContractViolationError,
    NoSignatureError,
    ServerChangedError,
    SignatureTimeoutError,
    SignatureUnusableError,
)
from avow.client.policy import Guarding, Locked, OnViolation
from avow.client.renewal import Proposal, Renewal
from avow.client.transport import guarded_session, guarded_transport
from avow.core.permissions import permissions
from avow.protocol.events import Event

__all__ = [
    "AnswerRefusedError",
    "CallRefusedError",
    "ContractViolationError",
    "Event",
    "GuardedClient",
    "Guarding",
    "Locked",
    "NoSignatureError",
    "OnViolation",
    "Proposal",
    "Renewal",
    "ServerChangedError",
    "SignatureCache",
    "SignatureTimeoutError",
    "SignatureUnusableError",
    "guarded_session",
    "guarded_transport",
    "permissions",
]
