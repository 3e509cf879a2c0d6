"""`avow registry serve`: a registry on a socket."""

import asyncio
import logging
import os
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from avow.cli.registry.group import SUBCOMMANDS
from avow.errors import UsageError
from avow.system.directories import data_directory

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.types import ASGIApp

    from avow.registry.opening import Place
    from avow.registry.settings import Settings

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_ANYWHERE = frozenset({"0.0.0.0", "::"})  # noqa: S104  compared only


class Timed(logging.Formatter):
    """Puts the time into every line, which is an object of JSON already."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        text = record.getMessage()
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        told = time.replace("+00:00", "Z")
        return f'{{"time": "{told}", {text[1:]}' if text.startswith("{") else f"{told} {text}"


@click.command("serve", short_help=SUBCOMMANDS["serve"])
@click.option("--listen", default="127.0.0.1:8750", show_default=True, metavar="HOST:PORT")
@click.option(
    "--database",
    envvar="AVOW_REGISTRY_DATABASE",
    default="",
    metavar="URL",
    help="sqlite:///FILE or postgresql://…; a file in the data directory unless given.",
)
@click.option(
    "--data", type=click.Path(path_type=Path), metavar="DIR", help="Where the key of the log is kept."
)
@click.option("--private", is_flag=True, help="Nothing is read without a token.")
@click.option("--origin", default="", metavar="NAME", help="The name of the log, at the first start.")
@click.option("--url", default="", metavar="URL", help="Where people reach it, when that is another address.")
@click.option(
    "--rate", type=click.FloatRange(0), default=None, metavar="N", help="Requests a second per address."
)
@click.option(
    "--webhooks-to-private-addresses", "inside", is_flag=True, help="Webhooks may be inside your network."
)
@click.option(
    "--trusted-issuers",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Who may publish with an identity token instead of a registry token (TOML).",
)
@click.option(
    "--witness",
    multiple=True,
    metavar="KEY",
    help="The key of somebody who may cosign checkpoints. Repeatable.",
)
@click.option("--quiet", "-q", is_flag=True, help="No line for each request.")
def command(
    listen: str,
    *,
    database: str,
    data: Path | None,
    private: bool,
    origin: str,
    url: str,
    rate: float | None,
    inside: bool,
    trusted_issuers: Path | None,
    witness: tuple[str, ...],
    quiet: bool,
) -> None:
    """Run a registry: pages and API at http://HOST:PORT, everything in one SQLite file unless told."""
    # Late: other commands have no use for a web server, and this one is an extra.
    try:
        from avow.registry.opening import ORIGIN, Place
        from avow.registry.serving import serve
        from avow.system.http_server import GuardedProtocol
        from avow.system.http_server import listen as listen_on
    except ImportError as exc:
        raise UsageError(
            f"the registry needs {exc.name}, which is not installed", hint="pip install 'avow[registry]'"
        ) from exc
    host, port = _address(listen)
    listening = listen_on(host, port)
    port = listening.getsockname()[1]
    place = Place((data or data_directory() / "registry").absolute(), database)
    here = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    settings = _settings(host, url.rstrip("/") or here, rate, private=private, inside=inside)
    settings = _with_witnesses(_with_issuers(settings, trusted_issuers), witness)
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(Timed())
    logging.basicConfig(level=logging.WARNING, handlers=[lines])
    if sys.stderr.isatty() and not (place.data / ORIGIN).exists():
        click.echo(f"making a registry in {place.data}: a moment …", err=True)
    logging.getLogger("avow.registry").setLevel(logging.WARNING if quiet else logging.INFO)
    serve(_composing(place, settings, origin, here), listening, GuardedProtocol)


def _composing(
    place: "Place", settings: "Settings", origin: str, here: str
) -> "Callable[[], Awaitable[tuple[ASGIApp, Callable[[], Awaitable[None]]]]]":
    from avow.cli.registry.agents import agents_app
    from avow.registry.app import create_app
    from avow.registry.opening import log_signer, open_service
    from avow.registry.pages.routes import pages, session_key
    from avow.registry.tokens import first_token
    from avow.registry.workers import Workers

    async def compose() -> "tuple[ASGIApp, Callable[[], Awaitable[None]]]":
        workers = Workers()
        signer = log_signer(place, origin)
        if signer is None:
            click.echo(_without_key(place.data), err=True)
        service = await open_service(place, settings, origin, workers)
        # The first publication need not wait until they have started; nor has anybody to stop them when
        # there is nothing to serve.
        workers.submit(os.getpid)
        shown = pages(service, session_key(signer.key) if signer else None)
        first = await first_token(service.store, service.clock())
        if first is not None:
            click.echo(f"The administrator's token, shown this once: {first.text}")
        click.echo(here)

        async def close() -> None:
            await service.store.close()
            await asyncio.to_thread(workers.shutdown, cancel_futures=True)

        return create_app(service, pages=shown, agents=partial(agents_app, service)), close

    return compose


def _without_key(data: Path) -> str:
    """What an operator has to know at once, and not from the first publication that fails."""
    return (
        f"warning: {data / 'log.key'} is not there: everything can be read, and nothing can be recorded\n"
        "hint: put the key back from a backup; with another key every reader would see a forged log"
    )


def _settings(host: str, url: str, rate: float | None, *, private: bool, inside: bool) -> "Settings":
    from dataclasses import replace

    from avow.registry.settings import Bounds, Settings

    bounds = Bounds() if rate is None else replace(Bounds(), rate=rate, burst=4 * rate)
    public = urlsplit(url).hostname
    if public is None:
        raise UsageError(
            f"--url wants an address, not {url!r}", hint="for example https://registry.example.com"
        )
    # A registry that the whole network reaches is asked by names that only its operator knows.
    known = None if host in _ANYWHERE else _LOOPBACK | {host.lower(), public.lower()}
    return Settings(
        private=private,
        url=url,
        hosts=known,
        bounds=bounds,
        limits_loopback=rate is not None,
        webhooks_to_private_addresses=inside,
    )


def _with_issuers(settings: "Settings", path: Path | None) -> "Settings":
    if path is None:
        return settings
    from dataclasses import replace

    from avow.registry.oidc import read_issuers
    from avow.system.files import read_bounded

    return replace(settings, issuers=read_issuers(read_bounded(path, 1024 * 1024)))


def _with_witnesses(settings: "Settings", keys: tuple[str, ...]) -> "Settings":
    from dataclasses import replace

    from avow.core.tlog.notes import SignatureType, read_verifier_key

    witnesses = tuple(read_verifier_key(key) for key in keys)
    for each in witnesses:
        if each.type is not SignatureType.WITNESS:
            raise UsageError(f"the key of {each.name} is not that of a witness")
    return replace(settings, witnesses=witnesses)


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65535 or not host:
        raise UsageError(f"--listen wants HOST:PORT, not {text!r}", hint="for example 127.0.0.1:8750")
    return host.strip("[]"), int(port)
