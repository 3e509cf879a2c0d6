"""Checkpoints: three lines, one log, one key."""

import pytest

from avow.core.keys import PrivateKey
from avow.core.tlog import notes
from avow.core.tlog.checkpoint import Checkpoint, add_cosignature, open_checkpoint, read_text, sign_checkpoint
from avow.core.tlog.hashing import EMPTY_ROOT
from avow.core.tlog.notes import SignatureType, Signed, Signer
from avow.errors import MalformedInputError, SignatureError, UntrustedKeyError
from small_log import SIGNER, SmallLog

LOG = SmallLog.of(3)
KEY = SIGNER.verifier()
WITNESS = Signer("witness.example/one", PrivateKey(b"w" * 32))
ROOT = "A" * 43 + "="


def test_a_log_says_what_it_holds() -> None:
    opened = open_checkpoint(LOG.checkpoint(), KEY)

    assert opened.checkpoint == Checkpoint("log.example/test", 3, LOG.root())
    assert opened.note == LOG.checkpoint()
    assert opened.note.startswith(b"log.example/test\n3\n")


def test_an_empty_log_can_say_so() -> None:
    assert open_checkpoint(SmallLog().checkpoint(), KEY).checkpoint.root == EMPTY_ROOT


def test_witnesses_add_their_lines() -> None:
    text = notes.loads(LOG.checkpoint()).text
    key = WITNESS.verifier(SignatureType.WITNESS)

    once = add_cosignature(LOG.checkpoint(), notes.cosign(text, WITNESS, at=1))
    twice = add_cosignature(once, notes.cosign(text, WITNESS, at=2))

    assert open_checkpoint(twice, KEY).witnessed == ()
    assert open_checkpoint(twice, KEY, [key]).witnessed == (Signed(key, 2),)
    assert len(twice.splitlines()) == len(once.splitlines()) == 6


def test_a_witness_does_not_replace_the_log() -> None:
    text = notes.loads(LOG.checkpoint()).text
    alone = notes.dumps(text, [notes.cosign(text, WITNESS, at=1)])

    with pytest.raises(UntrustedKeyError, match="not signed by the log"):
        open_checkpoint(alone, KEY, [WITNESS.verifier(SignatureType.WITNESS)])


def test_another_key_of_the_same_name_is_refused() -> None:
    other = Signer(SIGNER.name, PrivateKey(b"o" * 32))

    with pytest.raises(UntrustedKeyError):
        open_checkpoint(sign_checkpoint(Checkpoint(other.name, 3, LOG.root()), other), KEY)


def test_a_key_speaks_for_its_own_log_only() -> None:
    text = Checkpoint("other.example", 3, LOG.root()).text

    with pytest.raises(UntrustedKeyError, match=r"that of 'other\.example', not of log\.example/test"):
        open_checkpoint(notes.dumps(text, [notes.sign(text, SIGNER)]), KEY)
    with pytest.raises(MalformedInputError, match=r"cannot sign for the log other\.example"):
        sign_checkpoint(Checkpoint("other.example", 3, LOG.root()), SIGNER)


def test_a_changed_size_breaks_the_signature() -> None:
    with pytest.raises(SignatureError):
        open_checkpoint(LOG.checkpoint().replace(b"\n3\n", b"\n4\n"), KEY)


def test_lines_after_the_root_are_kept_but_mean_nothing() -> None:
    extended = Checkpoint(SIGNER.name, 3, LOG.root(), ("more", "lines"))

    assert open_checkpoint(sign_checkpoint(extended, SIGNER), KEY).checkpoint == extended


@pytest.mark.parametrize(
    "checkpoint",
    [
        Checkpoint(SIGNER.name, -1, LOG.root()),
        Checkpoint(SIGNER.name, 1, b""),
        Checkpoint(SIGNER.name, 0, LOG.root()),
    ],
)
def test_nonsense_is_not_signed(checkpoint: Checkpoint) -> None:
    with pytest.raises(MalformedInputError):
        sign_checkpoint(checkpoint, SIGNER)


def test_a_line_with_a_line_end_is_not_signed() -> None:
    with pytest.raises(MalformedInputError, match="cannot be written"):
        sign_checkpoint(Checkpoint(SIGNER.name, 3, LOG.root(), ("a\nb",)), SIGNER)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "log\n3\n",
        f"log\n3\n{ROOT}",
        f"\n3\n{ROOT}\n",
        f"log\n03\n{ROOT}\n",
        f"log\n+3\n{ROOT}\n",
        f"log\n\u0663\n{ROOT}\n",
        f"log\n9223372036854775808\n{ROOT}\n",
        f"log\n{'9' * 5000}\n{ROOT}\n",
        f"log\n3\n{ROOT[:-1]}\n",
        f"log\n3\n{ROOT[:-2]}B=\n",
        "log\n3\nAAAA\n",
        f"log\n0\n{ROOT}\n",
        f"log\n3\n{ROOT}\n\n",
        f"log\n3\n{ROOT}\n\nmore\n",
    ],
)
def test_what_is_not_a_checkpoint(text: str) -> None:
    with pytest.raises(MalformedInputError, match="not a checkpoint"):
        read_text(text)
