"""A Sigstore of our own on the loopback: a certificate authority, a certificate log and a transparency log.

It speaks the real protocols with real cryptography, so the real client signs against it and verifies what
comes out; only the names and the keys are not those of the public services.
"""

import base64
import hashlib
import json
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from sigstore.models import ClientTrustConfig
from sigstore.oidc import IdentityToken

ISSUER = "https://issuer.example"
_ISSUER_EXTENSION = x509.ObjectIdentifier("1.3.6.1.4.1.57264.1.1")
_TIMESTAMPS_EXTENSION = x509.ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2")
_SHA256 = ec.ECDSA(hashes.SHA256())


def token(identity: str) -> IdentityToken:
    """A token that says who somebody is; this authority believes it."""
    now = datetime.now(UTC)
    claims = {
        "iss": ISSUER,
        "sub": identity,
        "aud": "sigstore",
        "iat": now,
        "exp": now + timedelta(minutes=5),
    }
    return IdentityToken(jwt.encode(claims, "x" * 32, algorithm="HS256"))


def _der(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode()


class Authority:
    """Issues certificates for whoever the token names, each with a promise of the certificate log."""

    def __init__(self) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.log_key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "small authority")])
        now = datetime.now(UTC)
        identifier = x509.SubjectKeyIdentifier.from_public_key(self.key.public_key())
        self.certificate = (
            x509.CertificateBuilder(self.name, self.name, self.key.public_key(), x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(sign_certificates=True), critical=True)
            .add_extension(identifier, critical=False)
            .sign(self.key, hashes.SHA256())
        )

    def issue(self, request: bytes, identity: str) -> x509.Certificate:
        public = x509.load_pem_x509_csr(request).public_key()
        assert isinstance(public, ec.EllipticCurvePublicKey)
        now = datetime.now(UTC).replace(microsecond=0)
        authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        builder = (
            x509.CertificateBuilder(self.name, x509.Name([]), public, x509.random_serial_number())
            .not_valid_before(now - timedelta(minutes=1))
            .not_valid_after(now + timedelta(minutes=10))
            .add_extension(_usage(sign_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), critical=False)
            .add_extension(authority, critical=False)
            .add_extension(x509.SubjectAlternativeName([x509.RFC822Name(identity)]), critical=True)
            .add_extension(x509.UnrecognizedExtension(_ISSUER_EXTENSION, ISSUER.encode()), critical=False)
        )
        promised = self._promise(builder.sign(self.key, hashes.SHA256()).tbs_certificate_bytes, now)
        extension = x509.UnrecognizedExtension(_TIMESTAMPS_EXTENSION, promised)
        return builder.add_extension(extension, critical=False).sign(self.key, hashes.SHA256())

    def _promise(self, unsigned: bytes, at: datetime) -> bytes:
        """The list of signed certificate timestamps of RFC 6962, with one in it, as an OCTET STRING."""
        milliseconds = int(at.timestamp() * 1000)
        issuer = hashlib.sha256(_der(self.key.public_key())).digest()
        entry = issuer + struct.pack("!I", len(unsigned))[1:] + unsigned
        signature = self.log_key.sign(struct.pack("!BBQH", 0, 0, milliseconds, 1) + entry + b"\0\0", _SHA256)
        log = hashlib.sha256(_der(self.log_key.public_key())).digest()
        timestamp = struct.pack("!B32sQHBBH", 0, log, milliseconds, 0, 4, 3, len(signature)) + signature
        listed = struct.pack("!HH", len(timestamp) + 2, len(timestamp)) + timestamp
        assert len(listed) < 256
        return (b"\x04\x81" if len(listed) > 127 else b"\x04") + bytes([len(listed)]) + listed


def _usage(*, sign_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not sign_certificates,
        key_cert_sign=sign_certificates,
        crl_sign=sign_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


class Log:
    """A transparency log that begins anew with every entry: one leaf, whose hash is the root."""

    def __init__(self) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.identifier = hashlib.sha256(_der(self.key.public_key())).digest()

    def add(self, proposed: Any) -> dict[str, Any]:
        body = json.dumps(proposed, sort_keys=True, separators=(",", ":")).encode()
        root = hashlib.sha256(b"\0" + body).digest()
        note = f"small log\n1\n{_encode(root)}\n"
        mark = _encode(self.identifier[:4] + self.key.sign(note.encode(), _SHA256))
        promised: dict[str, Any] = {
            "body": _encode(body),
            "integratedTime": int(datetime.now(UTC).timestamp()),
            "logID": self.identifier.hex(),
            "logIndex": 0,
        }
        promise = self.key.sign(json.dumps(promised, sort_keys=True, separators=(",", ":")).encode(), _SHA256)
        proof = {"logIndex": 0, "rootHash": root.hex(), "treeSize": 1, "hashes": []}
        proof["checkpoint"] = f"{note}\n\u2014 small {mark}\n"
        verification = {"inclusionProof": proof, "signedEntryTimestamp": _encode(promise)}
        return {"0": {**promised, "verification": verification}}


class SmallSigstore:
    """Both services, and the configuration that makes a client trust them."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.authority = Authority()
        self.log = Log()

    def answer(self, path: str, authorization: str, request: Any) -> Any:
        if path == "/api/v1/log/entries":
            return self.log.add(request)
        assert path == "/api/v2/signingCert"
        claims = jwt.decode(authorization.removeprefix("Bearer "), options={"verify_signature": False})
        wanted = base64.b64decode(request["certificateSigningRequest"])
        chain = [self.authority.issue(wanted, claims["sub"]), self.authority.certificate]
        certificates = [each.public_bytes(serialization.Encoding.PEM).decode() for each in chain]
        return {"signedCertificateEmbeddedSct": {"chain": {"certificates": certificates}}}

    @property
    def trust(self) -> ClientTrustConfig:
        valid = {"start": "2020-01-01T00:00:00Z"}
        service = {"url": self.url, "majorApiVersion": 1, "validFor": valid, "operator": "small"}
        authority = {
            "subject": {"organization": "small", "commonName": "small authority"},
            "uri": self.url,
            "certChain": {
                "certificates": [
                    {"rawBytes": _encode(self.authority.certificate.public_bytes(serialization.Encoding.DER))}
                ]
            },
            "validFor": valid,
        }
        root = {
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [self._log_entry(self.log.key)],
            "ctlogs": [self._log_entry(self.authority.log_key)],
            "certificateAuthorities": [authority],
            "timestampAuthorities": [],
        }
        signing = {
            "mediaType": "application/vnd.dev.sigstore.signingconfig.v0.2+json",
            "caUrls": [service],
            "oidcUrls": [service],
            "rekorTlogUrls": [service],
            "tsaUrls": [],
            "rekorTlogConfig": {"selector": "ANY"},
            "tsaConfig": {"selector": "ANY"},
        }
        config = {
            "mediaType": "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json",
            "trustedRoot": root,
            "signingConfig": signing,
        }
        return ClientTrustConfig.from_json(json.dumps(config))

    def _log_entry(self, key: ec.EllipticCurvePrivateKey) -> dict[str, Any]:
        public = _der(key.public_key())
        return {
            "baseUrl": self.url,
            "hashAlgorithm": "SHA2_256",
            "publicKey": {
                "rawBytes": _encode(public),
                "keyDetails": "PKIX_ECDSA_P256_SHA_256",
                "validFor": {"start": "2020-01-01T00:00:00Z"},
            },
            "logId": {"keyId": _encode(hashlib.sha256(public).digest())},
        }


@contextmanager
def running() -> Iterator[SmallSigstore]:
    """The services, on a port of the loopback, until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = json.dumps(
                services.answer(self.path, self.headers.get("Authorization", ""), request)
            ).encode()
            self.send_response(201)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        services = SmallSigstore(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield services
        finally:
            server.shutdown()
            thread.join()
