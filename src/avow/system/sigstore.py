"""Sigstore keyless signatures of lockfiles and snapshots: an identity in place of a key.

The bundle signs the file's very bytes. Needs the extra `avow[sigstore]`; whoever verifies has to say whose
identity, vouched for by whom, since anybody at all can get a signature from Sigstore.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from avow.errors import (
    AvowError,
    MalformedInputError,
    SignatureError,
    UnavailableError,
    UntrustedKeyError,
    UsageError,
)
from avow.system.files import read_bounded, write_atomically
from avow.system.signing import Verified, VerifiedLockfile, as_verified, read_signable, require_lockfile

if TYPE_CHECKING:
    from cryptography.x509 import Certificate
    from sigstore.models import Bundle, ClientTrustConfig
    from sigstore.oidc import IdentityToken

_LIMIT: Final = 1024 * 1024


def bundle_path(path: Path) -> Path:
    """Where the bundle of a file is unless somebody says otherwise: where Sigstore's own tools put it."""
    return path.with_name(f"{path.name}.sigstore.json")


def sign_keyless(
    path: Path, *, trust: "ClientTrustConfig | None" = None, token: "IdentityToken | None" = None
) -> "Bundle":
    """Sign the file as whoever this process is: a workload with an identity, else a person in a browser.

    Raises:
        UsageError: the extra is not installed.
        StorageError: the file cannot be read.
        MalformedInputError: the file is neither a lockfile nor a snapshot.
        UnavailableError: no identity can be had, or a service does not answer.
    """
    data = read_signable(path)
    as_verified(path, data, signer="")
    with _explained():
        from sigstore.models import ClientTrustConfig
        from sigstore.sign import SigningContext

        config = trust or ClientTrustConfig.production()
        context = SigningContext.from_trust_config(config)
        with context.signer(token or _identity(config)) as signer:
            return signer.sign_artifact(data)


def write_bundle(path: Path, bundle: "Bundle") -> None:
    """Write a bundle file.

    Raises:
        StorageError: it cannot be written.
    """
    write_atomically(path, bundle.to_json().encode() + b"\n")


def verify_keyless(
    path: Path,
    *,
    identity: str,
    issuer: str,
    bundle: Path | None = None,
    trust: "ClientTrustConfig | None" = None,
    offline: bool = False,
) -> Verified:
    """Read the file at `path` if exactly this identity, vouched for by this issuer, has signed it.

    With `offline` the root of trust is the one seen last, or the one that came with the package.

    Raises:
        UsageError: the extra is not installed, or identity or issuer is empty.
        StorageError: the file or its bundle cannot be read.
        MalformedInputError: the bundle is not one, or the file neither a lockfile nor a snapshot.
        SignatureError: the signature does not hold.
        UntrustedKeyError: somebody else signed.
        UnavailableError: the root of trust cannot be had.
    """
    if not identity or not issuer:
        raise UsageError("an identity and its issuer are needed", hint="give --identity and --issuer")
    place = bundle or bundle_path(path)
    data = read_signable(path)
    signature = read_bounded(place, _LIMIT, if_missing="`avow sign --sigstore` writes it")
    with _explained():
        from sigstore.models import Bundle, ClientTrustConfig, InvalidBundle
        from sigstore.verify import Verifier

        try:
            read = Bundle.from_json(signature)
        except (InvalidBundle, ValueError) as error:
            raise MalformedInputError(f"{place} is not a Sigstore bundle") from error
        root = (trust or ClientTrustConfig.production(offline=offline)).trusted_root
        Verifier(trusted_root=root).verify_artifact(data, read, _OnlyThis(identity, issuer))
    return as_verified(path, data, signer=f"{identity} ({issuer})")


def verify_lockfile_keyless(
    path: Path, *, identity: str, issuer: str, bundle: Path | None = None, offline: bool = False
) -> VerifiedLockfile:
    """The same where only a lockfile will do.

    Raises:
        AvowError: as for `verify_keyless`.
    """
    verified = verify_keyless(path, identity=identity, issuer=issuer, bundle=bundle, offline=offline)
    return require_lockfile(path, verified)


@dataclass(frozen=True, slots=True)
class _OnlyThis:
    """Sigstore's own policy for one identity; what does not pass it is a signer that nobody trusts."""

    identity: str
    issuer: str

    def verify(self, cert: "Certificate") -> None:
        """Raise unless the certificate is of this identity."""
        from sigstore.errors import VerificationError
        from sigstore.verify.policy import Identity

        try:
            Identity(identity=self.identity, issuer=self.issuer).verify(cert)
        except VerificationError:
            raise UntrustedKeyError(
                f"it is not signed by {self.identity} as vouched for by {self.issuer}"
            ) from None


def _identity(config: "ClientTrustConfig") -> "IdentityToken":
    from sigstore.oidc import IdentityToken, Issuer, detect_credential

    if (credential := detect_credential()) is not None:
        return IdentityToken(credential)
    return Issuer(config.signing_config.get_oidc_url()).identity_token()


@contextmanager
def _explained() -> Iterator[None]:
    """Turn what the package raises into words of ours: it does not hold, or it could not be found out."""
    try:
        yield
    except AvowError:
        raise
    except ImportError as error:
        raise UsageError(
            "Sigstore support is not installed", hint="install it with `pip install 'avow[sigstore]'`"
        ) from error
    except Exception as error:
        from sigstore.errors import VerificationError

        if isinstance(error, VerificationError):
            raise SignatureError(f"the Sigstore signature does not hold: {error}") from error
        raise UnavailableError(
            f"Sigstore cannot be used right now: {type(error).__name__}: {error}"
        ) from error
