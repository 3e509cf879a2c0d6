"""A server that writes markup, direction marks and lies into every field it has."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from avow.core.publication import ServerName
from avow.registry import tokens
from avow.registry.approvals import decide
from avow.registry.model import ApprovalState, Role
from avow.registry.store.opening import open_store
from registry_showcase import END, SIGNER, Release, Showcase, add, service_of
from small_server import READ, snapshot

NAME = "dev.hostile/server"
MARKUP = (
    """'"></textarea></title></script><script>window.hurt=1</script><img src=x onerror="window.hurt=1">"""
)
TEMPLATE = "{{ 'inj' ~ 'ected' }}{% include 'base.html' %}"
HIDDEN = "safe\u202etxt.exe\u200b\x1b[31m\u0000"
LINK = "javascript:window.hurt=1"
ATTACKS = (MARKUP, TEMPLATE, "../../etc/passwd", "\u202e", "\0", "' OR 1=1 --")
LINKS = (
    "/?level={}&cursor={}",
    "/servers?q={}&cursor={}",
    "/servers?namespace={}",
    "/servers/{}/{}",
    "/servers/dev.hostile/server/versions/{}",
    "/servers/dev.hostile/server/compare?from={}&to={}",
    "/servers/dev.hostile/server/compare?to={}",
    "/servers/dev.hostile/server/replacements?version={}",
    "/search?q={}&argument={}&type={}&risk={}&kind={}&annotation={}&cursor={}",
    "/digests/{}",
    "/approvals?environment={}&recorded={}",
    "/log?before={}",
    "/log/{}",
    "/login?next={}",
)
"""Places in links where somebody else's text can be."""


def hostile(field: str) -> str:
    """What a server writes into one field."""
    return f"{field}{MARKUP}{TEMPLATE}{HIDDEN}"


def hostile_tool(name: str) -> dict[str, Any]:
    """A tool with hostile text wherever one fits."""
    return {
        "name": hostile(name),
        "title": hostile("title"),
        "description": hostile("description"),
        "inputSchema": {
            "type": "object",
            "properties": {
                hostile("argument"): {
                    "type": hostile("type"),
                    "description": hostile("argument description"),
                },
                "listed": {"enum": [hostile("choice")], "default": hostile("default")},
            },
            "required": [hostile("argument")],
        },
        "annotations": {"title": hostile("annotation"), hostile("my") + "Hint": True},
        "icons": [{"src": LINK}],
        hostile("member"): hostile("value"),
    }


def releases() -> tuple[Release, Release]:
    """A harmless version, and the hostile one after it."""
    reworded = {**READ, "description": hostile("reworded")}
    needs = {
        "arguments": [
            {
                "name": MARKUP,
                "type": "string",
                "required": True,
                "sensitive": True,
                "description": hostile("needs"),
            }
        ]
    }
    after = snapshot(
        [reworded, hostile_tool("tool")],
        [
            {
                "name": hostile("prompt"),
                "description": hostile("prompt description"),
                "arguments": [{"name": MARKUP}],
            }
        ],
        [{"uri": LINK, "name": hostile("resource"), "description": MARKUP, "mimeType": MARKUP}],
        [{"uriTemplate": LINK + "{x}", "name": hostile("template"), "description": MARKUP}],
        server={
            "name": hostile("server"),
            "version": hostile("version"),
            "title": hostile("title"),
            "websiteUrl": LINK,
        },
        instructions=hostile("instructions"),
        capabilities={hostile("capability"): {}},
        configuration_schema=needs,
        complete=False,
        notes=(hostile("note"),),
        protocol_version=MARKUP,
    )
    return Release("1.0.0", snapshot([READ])), Release("2.0.0", after)


@asynccontextmanager
async def hostile_showcase(address: str) -> AsyncIterator[Showcase]:
    """A registry with that server, about which somebody with a hostile name decided."""
    store = await open_store(address, SIGNER)
    try:
        for place, release in enumerate(releases()):
            await add(store, NAME, release, END - timedelta(days=2 - place))
        await decide(
            store,
            ServerName.read(NAME),
            "1.0.0",
            environment="production",
            state=ApprovalState.APPROVED,
            by=f"Eve{MARKUP}",
            reason=hostile("reason").replace("\0", "") + r"\u{202e}",
            at=END,
        )
        made = {role: (await tokens.issue(store, f"{role}{MARKUP}", role, END)).text for role in Role}
        yield Showcase(await service_of(store), made)
    finally:
        await store.close()
