"""How a registry is run, as values that the command line and the tests both make."""

from dataclasses import dataclass

from avow.core.publication import MAX_ENVELOPE
from avow.core.tlog.notes import VerifierKey
from avow.registry.oidc import Issuer


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one request may cost, and how many there may be.

    `rate` and `burst` are for each address without a token, `token_rate` for each token; `failures` is how
    many wrong tokens an address may try in a minute. Zero is no limit. `room_bytes` is how much of what is
    sent with tokens is held at once, `open_room_bytes` the same without: those who publish have their own.
    """

    envelope_bytes: int = MAX_ENVELOPE
    signature_bytes: int = 4 * 1024 * 1024
    document_bytes: int = 64 * 1024
    room_bytes: int = 32 * 1024 * 1024
    open_room_bytes: int = 16 * 1024 * 1024
    body_seconds: float = 30.0
    answer_seconds: float = 60.0
    rate: float = 100.0
    burst: float = 400.0
    token_rate: float = 2000.0
    failures: float = 30.0


@dataclass(frozen=True, slots=True)
class Settings:
    """What an operator decides.

    `hosts` are the names that are answered to; None answers to any. `url` is where people reach the service,
    `witnesses` are the keys of those who may cosign checkpoints.
    """

    private: bool = False
    url: str = ""
    hosts: frozenset[str] | None = None
    bounds: Bounds = Bounds()
    limits_loopback: bool = False
    webhooks_to_private_addresses: bool = False
    issuers: tuple[Issuer, ...] = ()
    witnesses: tuple[VerifierKey, ...] = ()
