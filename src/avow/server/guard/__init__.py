"""Negotiation security for server authors: minimal declarations, grants, and sessions that hold."""

from avow.protocol.negotiation import Controls, UnknownVersions
from avow.server.guard.features import Feature
from avow.server.guard.guarding import Guard, guard
from avow.server.guard.identity import Evidence, Identity, authenticated

__all__ = [
    "Controls",
    "Evidence",
    "Feature",
    "Guard",
    "Identity",
    "UnknownVersions",
    "authenticated",
    "guard",
]
