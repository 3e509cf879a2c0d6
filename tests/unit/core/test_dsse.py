"""DSSE envelopes: one good signature by one trusted key, or nothing."""

import base64
from dataclasses import replace

import pytest

from avow.core.dsse import Envelope, EnvelopeSignature, Trusted, dumps, encoding, loads, sign, verify
from avow.core.keys import KeyId, PrivateKey, PublicKey
from avow.errors import MalformedInputError, SignatureError, UntrustedKeyError

TYPE = "application/vnd.avow.test"
ALICE, BOB, MALLORY = (PrivateKey(bytes([number] * 32)) for number in (1, 2, 3))
SIGNED = sign(b"hello", TYPE, [ALICE])


def test_what_is_signed_is_the_encoding_of_the_specification() -> None:
    assert encoding("http://example.com/HelloWorld", b"hello world") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )
    assert encoding("ü", b"") == b"DSSEv1 2 \xc3\xbc 0 "


@pytest.mark.parametrize("trusted", [ALICE.public, ALICE.public.identifier])
def test_a_key_is_trusted_itself_or_by_its_identifier(trusted: Trusted) -> None:
    verified = verify(SIGNED, TYPE, [BOB.public, trusted])

    assert (verified.payload, verified.key) == (b"hello", ALICE.public)


def test_one_of_several_signatures_is_enough() -> None:
    envelope = sign(b"hello", TYPE, [MALLORY, ALICE])

    assert verify(envelope, TYPE, iter([ALICE.public])).key == ALICE.public


def test_the_identifier_is_only_a_hint() -> None:
    """An envelope without it, or with a wrong one, verifies by the key alone."""
    signature = SIGNED.signatures[0].signature
    for hint in ("", "somebody", BOB.public.identifier):
        bare = replace(SIGNED, signatures=(EnvelopeSignature(signature, hint),))
        assert verify(bare, TYPE, [ALICE.public]).key == ALICE.public


def test_signatures_times_keys_are_tried_a_bounded_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong signatures cost a try of the key they name, and a few in all where they name none."""
    tried = 0
    verifies = PublicKey.verifies

    def counted(key: PublicKey, signature: bytes, message: bytes) -> bool:
        nonlocal tried
        tried += 1
        return verifies(key, signature, message)

    monkeypatch.setattr(PublicKey, "verifies", counted)
    keys = [PrivateKey(bytes([number] * 32)).public for number in range(10, 110)]
    for hint in ("", "somebody", keys[0].identifier):
        tried = 0
        wrong = EnvelopeSignature(b"x" * 64, hint)
        with pytest.raises((SignatureError, UntrustedKeyError)):
            verify(replace(SIGNED, signatures=(wrong,) * 16), TYPE, keys)
        assert 0 < tried <= 16


def test_a_signature_that_names_its_key_is_found_among_many() -> None:
    keys = [PrivateKey(bytes([number] * 32)).public for number in range(10, 110)]
    bare = replace(SIGNED.signatures[0], key=None)

    assert verify(replace(SIGNED, signatures=(bare,)), TYPE, [*keys, ALICE.public]).key == ALICE.public


def test_an_identifier_without_the_key_is_not_enough() -> None:
    bare = replace(SIGNED, signatures=(replace(SIGNED.signatures[0], key=None),))

    with pytest.raises(SignatureError):
        verify(bare, TYPE, [ALICE.public.identifier])


@pytest.mark.parametrize("trusted", [[], [BOB.public], [BOB.public.identifier], [KeyId("")]])
def test_a_good_signature_of_a_stranger_is_refused_as_such(trusted: list[Trusted]) -> None:
    with pytest.raises(UntrustedKeyError) as caught:
        verify(SIGNED, TYPE, trusted)

    assert ALICE.public.identifier in caught.value.message


def test_a_stranger_who_borrows_a_trusted_name_is_refused() -> None:
    forged = sign(b"hello", TYPE, [MALLORY]).signatures[0]
    for borrowed in (
        replace(forged, identifier=ALICE.public.identifier),
        replace(forged, key=ALICE.public),
        replace(forged, identifier=ALICE.public.identifier, key=None),
    ):
        with pytest.raises(SignatureError):
            verify(replace(SIGNED, signatures=(borrowed,)), TYPE, [ALICE.public, ALICE.public.identifier])


def test_a_stranger_without_a_key_is_named_by_the_hint() -> None:
    bare = replace(SIGNED, signatures=(EnvelopeSignature(SIGNED.signatures[0].signature, "al\x1bice"),))

    with pytest.raises(UntrustedKeyError, match=r"al\\x1bice"):
        verify(bare, TYPE, [BOB.public])


def test_changing_the_payload_breaks_the_signature() -> None:
    with pytest.raises(SignatureError):
        verify(replace(SIGNED, payload=b"hullo"), TYPE, [ALICE.public])
    with pytest.raises(SignatureError):
        verify(replace(SIGNED, payload=b"hullo"), TYPE, [BOB.public])


def test_one_type_does_not_pass_for_another() -> None:
    with pytest.raises(SignatureError, match="is needed"):
        verify(SIGNED, "application/other", [ALICE.public])
    with pytest.raises(SignatureError):
        verify(replace(SIGNED, payload_type="application/other"), "application/other", [ALICE.public])


def test_an_envelope_reads_back() -> None:
    bare = Envelope(b"\xff\xfe?>", TYPE, (EnvelopeSignature(b"\xfb\xff"),))

    assert loads(dumps(SIGNED)) == SIGNED
    assert loads(dumps(bare)) == bare


def test_url_safe_base64_and_a_missing_identifier_are_read_too() -> None:
    payload = base64.urlsafe_b64encode(b"\xff\xfe?>").decode()

    envelope = loads(f'{{"payload":"{payload}","payloadType":"t","signatures":[{{"sig":"-_8="}}]}}'.encode())

    assert envelope == Envelope(b"\xff\xfe?>", "t", (EnvelopeSignature(b"\xfb\xff"),))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"payload":"","payloadType":"t"}',
        '{"payload":"","payloadType":"t","signatures":[]}',
        '{"payload":"","payloadType":"t","signatures":[{}]}',
        '{"payload":"","payloadType":"t","signatures":[{"sig":1}]}',
        '{"payload":"","payloadType":"t","signatures":[{"sig":"","keyid":1}]}',
        '{"payload":"","payloadType":"t","signatures":[{"sig":"","publicKey":1}]}',
        '{"payload":"","payloadType":"t","signatures":[{"sig":"","publicKey":"AAAA"}]}',
        '{"payload":"!","payloadType":"t","signatures":[{"sig":""}]}',
        '{"payload":"ü","payloadType":"t","signatures":[{"sig":""}]}',
        '{"payload":"","payload":"","payloadType":"t","signatures":[{"sig":""}]}',
        '{"payload":"","payloadType":"t","signatures":[' + ",".join(['{"sig":""}'] * 17) + "]}",
    ],
)
def test_what_is_no_envelope_is_refused(text: str) -> None:
    with pytest.raises(MalformedInputError):
        loads(text.encode())
