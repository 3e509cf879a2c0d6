"""All pages, for `create_app(service, pages=pages(service, session_key(signer.key)))`."""

import secrets

from avow.registry.pages import comparing, deciding, home, log, searching, servers, signing_in
from avow.registry.pages.access import session_key
from avow.registry.pages.site import Pages, Site
from avow.registry.service import Service

__all__ = ["pages", "session_key"]

_SERVER = "/servers/{namespace}/{server}"


def pages(service: Service, key: bytes | None = None) -> Pages:
    """The pages of a service.

    `key` seals sessions: `session_key` makes one that all processes share which have the key of the log.
    Without one it is random, and sessions end with the process.
    """
    site = Site(service, key or secrets.token_bytes(32))
    routes = [
        site.page("/", home.home),
        site.page("/servers", servers.servers),
        site.page(_SERVER, servers.server),
        site.page(f"{_SERVER}/versions", servers.history),
        site.page(f"{_SERVER}/versions/{{version}}", servers.server),
        site.page(f"{_SERVER}/compare", comparing.comparison()),
        site.page(f"{_SERVER}/replacements", servers.replacements),
        site.page("/search", searching.search),
        site.page("/digests/{digest}", searching.digest),
        site.page("/approvals", deciding.approvals),
        site.form("/approvals", deciding.decision),
        site.page("/log", log.log),
        site.page("/log/{index}", log.log_entry),
        site.page("/login", signing_in.sign_in_form, is_open=True),
        site.form("/login", signing_in.sign_in(site.sessions), is_open=True),
        site.form("/logout", signing_in.sign_out(site.sessions)),
        site.assets(),
    ]
    return Pages(routes, site.refused)
