"""`avow registry namespace`: claim namespaces, and change the keys they belong to."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from avow.cli.options import format_option
from avow.cli.output import write
from avow.cli.registry.asking import administration, registry_option
from avow.cli.registry.group import group_of
from avow.core.canonical import JsonObject
from avow.core.printable import printable
from avow.errors import UsageError
from avow.system.registry_client.answers import understood

if TYPE_CHECKING:
    from avow.core.keys import PublicKey


@group_of("namespace")
def command() -> None:
    """Claim namespaces, and change the keys they belong to."""


@command.command("claim")
@click.argument("namespace")
@click.option(
    "--key", type=click.Path(path_type=Path), required=True, metavar="KEY.pub", help="The public key."
)
@registry_option
@understood()
def claim(namespace: str, *, key: Path, registry: str) -> int:
    """Give a namespace that nobody has to a key; needs an administrator's token."""
    with administration(registry, needs_token=True) as client:
        made = client.claim(namespace, _public(key))
    write(printable(f"{namespace} belongs to {made['keys'][0]['id']}\n"))
    return 0


@command.command("show")
@click.argument("namespace")
@registry_option
@format_option("text", "json")
def show(namespace: str, *, registry: str, format_name: str) -> int:
    """Show the keys of a namespace."""
    with administration(registry) as client:
        found = client.namespace(namespace)
    if format_name == "json":
        from avow.cli.output.json import dumps

        write(dumps(found))
    else:
        _tell(found)
    return 0


@command.command("keys")
@click.argument("namespace")
@click.option(
    "--add", multiple=True, type=click.Path(path_type=Path), metavar="KEY.pub", help="A key to add."
)
@click.option("--revoke", multiple=True, metavar="sha256:…|KEY.pub", help="A key to revoke.")
@click.option(
    "--key",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A private key of the namespace that signs the change; an administrator needs none.",
)
@registry_option
def keys(
    namespace: str, *, add: tuple[Path, ...], revoke: tuple[str, ...], key: Path | None, registry: str
) -> int:
    """Add and revoke keys at once: a rotation names both. A revoked key stays revoked."""
    from avow.core.keys import KeyId
    from avow.system.keys import load_trusted

    if not add and not revoke:
        raise UsageError("no key is to be added or revoked", hint="--add KEY.pub, --revoke sha256:…")
    added = [_public(path) for path in add]
    trusted = [load_trusted(word) for word in revoke]
    revoked = [KeyId(each) if isinstance(each, str) else each.identifier for each in trusted]
    with administration(registry, needs_token=key is None) as client:
        if key is None:
            changed = client.change_keys(namespace, add=added, revoke=revoked)
        else:
            from avow.cli.passphrases import open_private_key
            from avow.registry.namespaces import KeyChange, sign_change

            change = KeyChange(client.log_key().name, namespace, tuple(added), tuple(revoked))
            changed = client.change_keys_signed(namespace, sign_change(change, open_private_key(key)))
    _tell(changed)
    return 0


def _public(path: Path) -> "PublicKey":
    from avow.system.keys import load_public_key

    if not path.exists():
        raise UsageError(
            f"there is no file {path}", hint="`avow keygen --out FILE` makes a key, with FILE.pub beside it"
        )
    return load_public_key(path)


@understood()
def _tell(found: JsonObject) -> None:
    for each in found["keys"]:
        state = f"revoked {each['revokedAt'][:10]}" if each["revokedAt"] else "active"
        write(printable(f"{each['id']}  added {each['addedAt'][:10]}  {state}\n"))
