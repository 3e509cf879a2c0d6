"""The lockfile that sessions are held to, and the options that say who has to have signed it."""

from pathlib import Path
from typing import Any

import click

from avow.cli.options import Decorator
from avow.core.lockfile import Lockfile
from avow.errors import UsageError
from avow.system.lockfiles import read_lockfile

require_signature_option: Decorator[Any] = click.option(
    "--require-signature", is_flag=True, help="Start only if a trusted key signed the lockfile."
)
trust_option: Decorator[Any] = click.option(
    "--trust", multiple=True, metavar="KEY", help="A public key that may have signed. Repeatable."
)


def trusted_lockfile(lockfile: Path, trust: tuple[str, ...], *, signed: bool) -> Lockfile:
    """The lockfile, verified first where a signature is asked for.

    Raises:
        AvowError: it cannot be read, or is not signed as it has to be.
    """
    if not signed and not trust:
        return read_lockfile(lockfile)
    if not trust:
        raise UsageError("a signature is required, but no key is trusted", hint="name it: --trust KEY")
    # Late: most sessions need no cryptography.
    from avow.system.keys import load_trusted
    from avow.system.signing import verify_lockfile

    return verify_lockfile(lockfile, [load_trusted(word) for word in trust]).lockfile
