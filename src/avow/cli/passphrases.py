"""Where the passphrase of a key comes from: the environment, or a person; never an argument."""

import os
import sys
from pathlib import Path

import click

from avow.core.keys import PassphraseNeededError, PrivateKey
from avow.errors import UsageError
from avow.system.keys import load_private_key

_VARIABLE = "AVOW_KEY_PASSPHRASE"


def new_passphrase(*, ask: bool) -> bytes:
    """The passphrase for a new key; empty when nobody wants one.

    Raises:
        UsageError: one was asked for, and there is nobody to type it.
    """
    if given := os.environ.get(_VARIABLE):
        return given.encode()
    if not ask:
        return b""
    if not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask for a passphrase on", hint=f"set {_VARIABLE}")
    return str(click.prompt("Passphrase", hide_input=True, confirmation_prompt=True, err=True)).encode()


def open_private_key(path: Path) -> PrivateKey:
    """Read a private key, asking for its passphrase when it has one.

    Raises:
        AvowError: it cannot be read, or is encrypted and nobody can say the passphrase.
    """
    given = os.environ.get(_VARIABLE, "").encode()
    try:
        return load_private_key(path, given)
    except PassphraseNeededError:
        if not sys.stdin.isatty():
            raise
        typed = click.prompt(f"Passphrase of {path}", hide_input=True, err=True)
        return load_private_key(path, str(typed).encode())
