"""`avow registry search`: find capabilities by words or shape, servers, replacements, and exact copies."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import click

from avow.cli.options import format_option, lockfile_option
from avow.cli.output import write
from avow.cli.output.console import Line, Part, columns, line, to_string
from avow.cli.registry.asking import limit_option, open_client, registry_option
from avow.cli.registry.group import SUBCOMMANDS
from avow.cli.registry.tables import RISKS, risks, safe
from avow.core.canonical import JsonObject
from avow.errors import UsageError
from avow.system.registry_client.answers import understood
from avow.system.registry_client.client import RegistryClient

_NOTHING_FOUND = 1
_MOST_PAGES = 20


@click.command("search", short_help=SUBCOMMANDS["search"])
@click.argument("words", nargs=-1)
@click.option("--tool", metavar="NAME", help="The exact name of a capability.")
@click.option("--argument", metavar="NAME[:TYPE]", help="That takes this argument: path:string.")
@click.option("--annotation", metavar="NAME:VALUE", help="With this annotation: readOnlyHint:true.")
@click.option("--risk", type=click.Choice(["low", "medium", "high"]))
@click.option("--kind", type=click.Choice(["tool", "prompt", "resource", "template"]))
@click.option("--namespace", metavar="NAMESPACE", help="Only of servers in this namespace.")
@click.option("--without-secrets", is_flag=True, help="Only of servers that need no secret.")
@click.option("--servers", is_flag=True, help="Look for servers by the words, not for capabilities.")
@click.option("--like", metavar="NAME|SNAPSHOT.json", help="Servers that offer at least what this one does.")
@click.option("--digest", metavar="sha256:…", help="Who has exactly this signature or capability.")
@lockfile_option
@limit_option
@registry_option
@format_option("text", "json")
@understood()
def command(
    words: tuple[str, ...],
    *,
    tool: str | None,
    argument: str | None,
    annotation: str | None,
    risk: str | None,
    kind: str | None,
    namespace: str | None,
    without_secrets: bool,
    servers: bool,
    like: str | None,
    digest: str | None,
    lockfile: Path,
    limit: int,
    registry: str,
    format_name: str,
) -> int:
    """Find what servers offer; everything that is given has to hold. Exit 1 when nothing is found."""
    text = " ".join(words) or None
    shape: JsonObject = {
        "tool": tool,
        "argument": argument,
        "annotation": annotation,
        "risk": risk,
        "kind": kind,
    }
    given = [text, *shape.values(), namespace, without_secrets or None]
    if sum((like is not None, digest is not None, any(given))) != 1:
        raise UsageError(
            "say what to look for: words, a shape, --like or --digest; one of them",
            hint="for example `avow registry search read file`, or `--argument path:string --risk low`",
        )
    if servers and (any(shape.values()) or without_secrets):
        raise UsageError(
            "--servers looks for words and a namespace; the rest is about capabilities",
            hint="leave --servers out: every hit names the servers that offer it",
        )
    from avow.cli.registry.words import read_annotation, read_argument, read_digest

    if argument is not None:
        read_argument(argument)
    if annotation is not None:
        read_annotation(annotation)
    wanted = None if digest is None else read_digest(digest)
    with open_client(registry) as client:
        if like is not None:
            answer = _like(client, like, lockfile)
        elif wanted is not None:
            answer = client.digest(wanted)
        elif servers:
            answer = _gathered("servers", limit, partial(client.servers, text or "", namespace=namespace))
        else:
            secrets = "none" if without_secrets else None
            ask = partial(client.search, text=text, secrets=secrets, namespace=namespace, **shape)
            answer = _gathered("capabilities", limit, ask)
    lines = list(_lines(answer))
    more = answer.get("next")
    if format_name == "json":
        from avow.cli.output.json import dumps

        write(dumps(answer))
    else:
        write(to_string(lines or [line("nothing found")]))
        if more:
            write("(there are more: --limit)\n")
    return 0 if lines else _NOTHING_FOUND


def _gathered(member: str, limit: int, ask: Callable[..., JsonObject]) -> JsonObject:
    """As many as are wanted: a page may be short, and still not be the last."""
    answer: JsonObject = {"next": None}
    found: list[JsonObject] = []
    for _ in range(_MOST_PAGES):
        answer = ask(cursor=answer["next"], limit=limit - len(found))
        found += answer[member]
        if not answer.get("next") or len(found) >= limit:
            break
    return {**answer, member: found[:limit]}


def _like(client: RegistryClient, like: str, lockfile: Path) -> JsonObject:
    from avow.cli.registry.publish import read_published
    from avow.core.documents import snapshot_document

    return client.match(snapshot_document(read_published(like, lockfile)))


def _lines(answer: JsonObject) -> Iterator[Line]:
    for hit in answer.get("capabilities", []):
        offers = ", ".join(f"{each['name']} {each['version']}" for each in hit["offers"])
        more = hit["servers"] - len(hit["offers"])
        risk = hit["risk"]["level"]
        yield line(
            safe(hit["kind"]), " ", (safe(hit["name"]), "bold"), "  (", (safe(risk), RISKS.get(risk, "")),
            f")  {safe(hit['digest'][:19])}…",
        )  # fmt: skip
        yield line(safe(offers + (f" and {more} more" if more > 0 else "")), indent=4)
    yield from columns([_server(each) for each in answer.get("servers", [])], indent=0)
    for match in answer.get("matches", []):
        yield line(safe(f"{match['name']} {match['version']}"), "  ", safe(match["digest"]))
    for holder in answer.get("holders", []):
        now = "still" if holder["isCurrent"] else "not any more"
        yield line(safe(f"{holder['name']} {holder['first']} to {holder['last']}, {now}"))


def _server(server: JsonObject) -> Sequence[Part]:
    latest = server["latest"]
    about = f": {server['description']}" if server["description"] else ""
    return (
        safe(f"{server['name']} {latest['version']}"),
        safe(latest["publishedAt"][:10]),
        safe(f"{risks(latest)}{about}"),
    )
