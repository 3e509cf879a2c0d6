"""`avow verify`: has somebody we trust signed this lockfile or snapshot, exactly as it is?"""

import sys
from pathlib import Path

import click

from avow.cli.failures import failure_lines
from avow.cli.options import format_option, quiet_option
from avow.cli.output import write
from avow.errors import UsageError, VerificationError
from avow.system.keys import load_trusted
from avow.system.signing import verify_file

_INVALID = 1


@click.command("verify")
@click.argument("file", type=click.Path(path_type=Path), default=Path("avow.lock"), metavar="[FILE]")
@click.option(
    "--trust",
    multiple=True,
    metavar="KEY",
    help="A public key, or the identifier of one (sha256:…), that may have signed. Repeatable.",
)
@click.option(
    "--identity", metavar="WHO", help="With Sigstore: who has to have signed, as an e-mail or a URL."
)
@click.option("--issuer", metavar="URL", help="With Sigstore: who has to have vouched for that identity.")
@click.option("--offline", is_flag=True, help="With Sigstore: use the root of trust at hand, however old.")
@click.option("--signature", type=click.Path(path_type=Path), metavar="FILE", help="The signature file.")
@format_option("text", "json")
@quiet_option
def command(
    file: Path,
    *,
    trust: tuple[str, ...],
    identity: str | None,
    issuer: str | None,
    offline: bool,
    signature: Path | None,
    format_name: str,
    quiet: bool,
) -> int:
    """Verify a signature: exit 0 when it holds, 1 when it does not or nobody trusted made it."""
    try:
        if trust and not (identity or issuer):
            verified = verify_file(file, [load_trusted(word) for word in trust], signature)
        elif identity and issuer and not trust:
            # Late: an extra, and slow to load.
            from avow.system.sigstore import verify_keyless

            verified = verify_keyless(
                file, identity=identity, issuer=issuer, bundle=signature, offline=offline
            )
        else:
            raise UsageError(
                "say whom you trust: --trust KEY, or --identity WHO together with --issuer URL",
                hint="a signature by just anybody proves nothing",
            )
    except VerificationError as error:
        if format_name == "json":
            _write_document({"valid": False, "message": error.message, "hint": error.hint})
        else:
            sys.stderr.write(failure_lines(error.message, error.hint))
        return _INVALID
    if format_name == "json":
        _write_document({"valid": True, "digest": verified.digest, "signer": verified.signer})
    elif not quiet:
        write(f"{file} is signed by {verified.signer}\n")
    return 0


def _write_document(document: dict[str, object]) -> None:
    from avow.cli.output.json import dumps

    write(dumps(document))
