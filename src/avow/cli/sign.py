"""`avow sign`: vouch for a lockfile or a snapshot, with a key or with an identity."""

from pathlib import Path

import click

from avow.cli.options import quiet_option
from avow.cli.output import write
from avow.cli.passphrases import open_private_key
from avow.errors import UsageError
from avow.system.signing import sign_file, signature_path, write_envelope


@click.command("sign")
@click.argument("file", type=click.Path(path_type=Path), default=Path("avow.lock"), metavar="[FILE]")
@click.option(
    "--key", "keys", multiple=True, type=click.Path(path_type=Path), help="A private key. Repeatable."
)
@click.option("--sigstore", is_flag=True, help="Sign with your identity instead (needs avow[sigstore]).")
@click.option(
    "--output", type=click.Path(path_type=Path), metavar="FILE", help="Where to write the signature."
)
@quiet_option
def command(file: Path, *, keys: tuple[Path, ...], sigstore: bool, output: Path | None, quiet: bool) -> int:
    """Sign a lockfile (avow.lock) or a saved snapshot, exactly as it is; the signature goes beside it."""
    if bool(keys) == sigstore:
        raise UsageError(
            "sign with --key FILE, or with --sigstore", hint="`avow keygen --out FILE` makes a key"
        )
    if sigstore:
        # Late: an extra, and slow to load.
        from avow.system.sigstore import bundle_path, sign_keyless, write_bundle

        place = output or bundle_path(file)
        write_bundle(place, sign_keyless(file))
    else:
        place = output or signature_path(file)
        write_envelope(place, sign_file(file, [open_private_key(path) for path in keys]))
    if not quiet:
        write(f"{place} signs {file}\n")
    return 0
