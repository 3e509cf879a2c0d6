"""Signed notes: the published one, one spelling for each, and whose signatures count."""

import base64
import json
from dataclasses import replace
from pathlib import Path

import pytest

from avow.core.keys import PrivateKey
from avow.core.tlog.notes import (
    MAX_NOTE,
    MAX_SIGNATURES,
    Note,
    NoteSignature,
    SignatureType,
    Signed,
    Signer,
    cosign,
    dumps,
    loads,
    read_verifier_key,
    sign,
    verify,
)
from avow.errors import MalformedInputError, SignatureError, UntrustedKeyError

VECTOR = json.loads(
    (Path(__file__).parents[3] / "vectors" / "tlog" / "notes.json").read_text(encoding="utf-8")
)
PETER = Signer(VECTOR["name"], PrivateKey(base64.b64decode(VECTOR["seed_base64"])))
WITNESS = Signer("witness.example/one", PrivateKey(b"w" * 32))
WITNESSED = WITNESS.verifier(SignatureType.WITNESS)
TEXT = "what is\n\nsaid\n"


def test_the_published_note() -> None:
    note = loads(VECTOR["note"].encode())

    assert note.text == VECTOR["text"]
    assert str(PETER.verifier()) == VECTOR["verifier"]
    assert read_verifier_key(VECTOR["verifier"]) == PETER.verifier()
    assert dumps(VECTOR["text"], [sign(VECTOR["text"], PETER)]).decode() == VECTOR["note"]
    assert verify(note, [PETER.verifier()]).by == (Signed(PETER.verifier()),)


def test_a_text_may_have_empty_lines() -> None:
    data = dumps(TEXT, [sign(TEXT, PETER)])

    assert loads(data).text == TEXT


def test_signatures_of_later_kinds_may_be_long() -> None:
    """16 of 5 kB have to be read, says the specification."""
    long = [NoteSignature(f"witness{number}.example", b"k" * 4, b"s" * 5_000) for number in range(16)]
    data = dumps(TEXT, [sign(TEXT, PETER), *long])

    assert verify(loads(data), [PETER.verifier()])


def test_a_witness_says_when() -> None:
    note = Note(TEXT, (sign(TEXT, PETER), cosign(TEXT, WITNESS, at=1_700_000_000)))

    assert verify(loads(dumps(note.text, note.signatures)), [PETER.verifier(), WITNESSED]).by == (
        Signed(PETER.verifier()),
        Signed(WITNESSED, 1_700_000_000),
    )


@pytest.mark.parametrize("at", [-1, 2**63])
def test_a_witness_signs_at_a_time_that_there_is(at: int) -> None:
    with pytest.raises(ValueError, match="not a time"):
        cosign(TEXT, WITNESS, at=at)


def test_a_time_that_there_is_not_is_refused() -> None:
    at = 2**63
    signature = at.to_bytes(8) + WITNESS.key.sign(f"cosignature/v1\ntime {at}\n{TEXT}".encode())
    line = NoteSignature(WITNESS.name, WITNESSED.identifier, signature)

    with pytest.raises(SignatureError, match="a time that there is not"):
        verify(Note(TEXT, (line,)), [WITNESSED])


def test_the_time_of_a_witness_is_part_of_what_it_signs() -> None:
    line = cosign(TEXT, WITNESS, at=1)
    later = replace(line, signature=(2).to_bytes(8) + line.signature[8:])

    with pytest.raises(SignatureError, match=r"witness\.example/one does not fit"):
        verify(Note(TEXT, (later,)), [WITNESSED])


def test_a_witness_is_not_taken_for_an_author() -> None:
    """The same key and the same name: the identifier says what the signature is for."""
    with pytest.raises(UntrustedKeyError):
        verify(Note(TEXT, (cosign(TEXT, WITNESS, at=1),)), [WITNESS.verifier()])


def test_signatures_of_strangers_say_nothing_good_or_bad() -> None:
    bad = NoteSignature("stranger", b"1234", b"nonsense")

    assert verify(Note(TEXT, (bad, sign(TEXT, PETER))), [PETER.verifier()]).by == (Signed(PETER.verifier()),)
    with pytest.raises(UntrustedKeyError, match="signed by stranger"):
        verify(Note(TEXT, (bad,)), [PETER.verifier()])
    with pytest.raises(UntrustedKeyError):
        verify(Note(TEXT, (sign(TEXT, PETER),)), [])


def test_one_bad_signature_of_a_known_key_spoils_the_note() -> None:
    good = sign(TEXT, PETER)
    for bad in (good.signature[::-1], b"short"):
        with pytest.raises(SignatureError):
            verify(Note(TEXT, (good, replace(good, signature=bad))), [PETER.verifier()])


LINE = VECTOR["note"].splitlines()[-1]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no signatures"),
        (b"text\n", "no signatures"),
        (b"text\n\n", "no signatures"),
        (f"text\n\n{LINE}".encode(), "no signatures"),
        (f"text\n{LINE}\n".encode(), "no signatures"),
        (f"text\n\n{LINE}\nmore\n".encode(), "not a signature"),
        (f"text\n\n-{LINE[1:]}\n".encode(), "not a signature"),
        (f"text\n\n{LINE} \n".encode(), "not a signature"),
        (f"text\n\n{LINE.replace('Peter', 'Peter+')}\n".encode(), "not a signature"),
        (f"text\n\n{LINE.replace('Peter', 'Peter' + chr(0xA0))}\n".encode(), "not a signature"),
        (f"text\n\n{LINE.replace('=', '')}\n".encode(), "not a signature"),
        (f"text\n\n{LINE.replace('M=', 'N=')}\n".encode(), "not a signature"),
        ("text\n\n\u2014 Peter AAAAAA==\n".encode(), "not a signature"),
        (f"te\rxt\n\n{LINE}\n".encode(), "control characters"),
        (b"\xff", "not UTF-8 at byte 0"),
        (b"x" * (MAX_NOTE + 1), "at most 262144 bytes"),
        (f"text\n\n{(LINE + chr(10)) * (MAX_SIGNATURES + 1)}".encode(), "at most 64 signatures"),
    ],
)
def test_what_is_not_a_signed_note(data: bytes, reason: str) -> None:
    with pytest.raises(MalformedInputError, match=reason):
        loads(data)


@pytest.mark.parametrize("text", ["no line end", "a\n\n\u2014 b AAAAAAAA", "\t\n", ""])
def test_a_text_that_a_note_cannot_hold_is_not_signed(text: str) -> None:
    with pytest.raises(MalformedInputError):
        dumps(text, [sign(text, PETER)])


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\nb", "a\u3000b", "a" * 256])
def test_names_that_no_key_can_have(name: str) -> None:
    with pytest.raises(MalformedInputError, match="cannot be the name of a key"):
        Signer(name, PETER.key)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "PeterNeumann",
        "PeterNeumann+c74f20a3",
        VECTOR["verifier"].replace("+AR", "+BR"),
        VECTOR["verifier"].replace("+ARpc", "+!!!!"),
        VECTOR["verifier"].replace("+ARpc", "+"),
        VECTOR["verifier"].removeprefix("PeterNeumann"),
        VECTOR["verifier"].replace("c74f20a3", "C74F20A3"),
        VECTOR["verifier"].replace("Peter", "Paul"),
    ],
)
def test_what_is_not_the_key_of_a_log(text: str) -> None:
    with pytest.raises(MalformedInputError, match=r"not the key of a log|is damaged"):
        read_verifier_key(text)


def test_the_key_of_a_witness_reads_back() -> None:
    assert read_verifier_key(f" {WITNESSED}\n") == WITNESSED
