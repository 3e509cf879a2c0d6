"""Every path of a registry that people and programs ask for."""

import json
import random
from collections.abc import Callable, Iterator
from functools import partial
from urllib.parse import quote, urlencode

from registry_material import ARGUMENTS, NAMESPACE, NOUNS, VERBS, WORDS

from avow.core.canonical import JsonObject

SMALL, LARGE, HUGE = 15, 46, 300
LARGE_SERVERS, LARGE_VERSIONS = 40, 3
HUGE_SERVERS, HUGE_VERSIONS = 3, 500
SIZES = ((SMALL, 0), (LARGE, LARGE_SERVERS), (HUGE, HUGE_SERVERS))
Making = Callable[[], str]


class Paths:
    """Every path that people and programs ask for; each call makes another one of its kind."""

    def __init__(self, servers: int, ask: Callable[[str], bytes]) -> None:
        self._chance = random.Random(3)
        self._servers = servers
        self._ask = ask
        self._size = int(self._ask("/checkpoint").split(b"\n")[1])
        self._digests = {size: self._signature(size) for size in (SMALL, LARGE, HUGE)}

    def _name(self, size: int = SMALL, many: int = 0) -> str:
        name = f"server-{self._chance.randrange(min(self._servers, 500))}"
        if size != SMALL:
            name = f"large-{size}-{self._chance.randrange(many) if many else 0}"
        return f"{NAMESPACE}/{name}"

    def _signature(self, size: int) -> JsonObject:
        found: JsonObject = json.loads(self._ask(f"/api/v1/servers/{self._name(size)}/versions/latest"))
        return found

    def pages(self) -> Iterator[tuple[str, Making]]:
        chance = self._chance
        yield "page: changes", lambda: "/"
        yield "page: changes, moderate", lambda: "/?level=moderate"
        yield "page: servers", lambda: "/servers"
        yield "page: servers, word", lambda: f"/servers?q={chance.choice(NOUNS)}"
        yield "page: servers, name", lambda: f"/servers?q=server+{chance.randrange(self._servers)}"
        for size, many in SIZES:
            label = f"{size} tools"
            apart = "from=1.1.0&to=1.3.0" if size == SMALL else "from=1.0.0&to=1.2.0"
            name = partial(self._name, size, many)
            yield f"page: server, {label}", partial(_joined, "/servers/{}", name)
            yield f"page: version, {label}", partial(_joined, "/servers/{}/versions/1.2.0", name)
            yield f"page: compare, {label}", partial(_joined, "/servers/{}/compare", name)
            yield (
                f"page: compare far, {label}",
                partial(_joined, f"/servers/{{}}/compare?{apart}", name),
            )
            yield f"page: replacements, {label}", partial(_joined, "/servers/{}/replacements", name)
        huge = self._name(HUGE)
        yield "page: history, 15 tools", lambda: f"/servers/{self._name()}/versions"
        yield "page: history, 500 versions", lambda: f"/servers/{huge}/versions"
        yield "page: compare 1st and 500th", lambda: f"/servers/{huge}/compare?from=1.0.0"
        yield "page: search, nothing said", lambda: "/search"
        for label, query in self._searches():
            yield f"page: search, {label}", partial(_asking, "/search", query)
        yield "page: search, server", lambda: f"/search?q={quote(self._name(), safe='')}"
        yield "page: search, part of a name", lambda: f"/search?q={quote(self._name()[4:-1], safe='')}"
        yield "page: search, letters nobody has", lambda: f"/search?q=qzx{chance.randrange(999)}"
        yield "page: search, cut digest", lambda: f"/search?q={chance.randrange(16**12):012x}"
        yield "page: digest of a tool", lambda: f"/digests/{self._tool(SMALL)}"
        yield "page: digest of a signature", lambda: f"/digests/{self._digests[HUGE]['digest']}"
        yield "page: approvals", lambda: "/approvals"
        yield "page: approvals, staging", lambda: "/approvals?environment=staging"
        yield "page: log", lambda: "/log"
        yield "page: log, older", lambda: f"/log?before={chance.randrange(100, self._size)}"
        yield "page: log entry", lambda: f"/log/{chance.randrange(self._size)}"
        yield "page: login", lambda: "/login"
        yield "page: nothing there", lambda: "/nothing/here"

    def endpoints(self) -> Iterator[tuple[str, Making]]:
        chance = self._chance
        yield "api: servers", lambda: "/api/v1/servers"
        yield "api: servers, word", lambda: f"/api/v1/servers?q={chance.choice(NOUNS)}"
        for size, many in SIZES:
            label = f"{size} tools"
            apart = "from=1.1.0&to=1.3.0" if size == SMALL else "from=1.0.0&to=1.2.0"
            of_server = partial(_joined, "/api/v1/servers/{}", partial(self._name, size, many))
            for what, rest in (
                ("server", ""),
                ("versions", "/versions"),
                ("version", "/versions/latest"),
                *([("envelope", "/versions/latest/envelope")] if many else []),
                ("approvals", "/versions/latest/approvals"),
                ("proof", "/versions/latest/proof"),
                ("drift", f"/drift?{apart}"),
            ):
                yield f"api: {what}, {label}", partial(_added, of_server, rest)
        for label, query in self._searches():
            yield f"api: search, {label}", partial(_asking, "/api/v1/search", query)
        yield "api: digest of a tool", lambda: f"/api/v1/digests/{self._tool(SMALL)}"
        yield "api: digest of a signature", lambda: f"/api/v1/digests/{self._digests[HUGE]['digest']}"
        yield "api: changes", lambda: f"/api/v1/changes?after={chance.randrange(self._size - 500)}"
        yield "api: changes, moderate", lambda: "/api/v1/changes?level=moderate"
        yield "api: changes, one server", lambda: f"/api/v1/changes?target={quote(self._name(), safe='')}"
        yield "api: namespaces", lambda: "/api/v1/namespaces"
        yield "api: namespace", lambda: f"/api/v1/namespaces/{NAMESPACE}"
        yield "api: tokens", lambda: "/api/v1/tokens"
        yield "api: approvals", lambda: "/api/v1/approvals?environment=production"
        yield "api: approvals of a server", lambda: f"/api/v1/approvals?name={quote(self._name(), safe='')}"
        yield "api: environments", lambda: "/api/v1/environments"
        yield "api: watches", lambda: "/api/v1/watches"
        yield "api: changes in watches", lambda: "/api/v1/watches/changes"
        yield "api: webhooks", lambda: "/api/v1/webhooks"
        yield "api: checkpoint", lambda: "/checkpoint"
        yield "api: log key", lambda: "/api/v1/log/key"
        yield "api: inclusion", lambda: f"/api/v1/log/inclusion?index={chance.randrange(self._size)}"
        yield (
            "api: consistency",
            lambda: f"/api/v1/log/consistency?from={chance.randrange(1, self._size)}&to={self._size}",
        )
        yield "api: tile of entries", lambda: f"/tile/entries/{_tile(chance.randrange(self._size // 256))}"
        yield "api: tile of hashes", lambda: f"/tile/0/{_tile(chance.randrange(self._size // 256))}"
        yield "api: official servers", lambda: "/v0.1/servers"
        yield "api: official versions", lambda: f"/v0.1/servers/{quote(self._name(HUGE), safe='')}/versions"
        yield (
            "api: official version",
            lambda: f"/v0.1/servers/{quote(self._name(HUGE), safe='')}/versions/latest",
        )
        yield "api: feed", lambda: "/feed.atom"
        yield "api: description", lambda: "/api/v1/openapi.json"
        yield "api: health", lambda: "/healthz"
        yield "api: metrics", lambda: "/metrics"

    def _tool(self, size: int) -> str:
        digest: str = self._chance.choice(self._digests[size]["snapshot"]["tools"])["digest"]
        return digest

    def _searches(self) -> Iterator[tuple[str, Callable[[], dict[str, str]]]]:
        chance = self._chance
        yield (
            "name",
            lambda: {"tool": f"{chance.choice(VERBS)}_{chance.choice(NOUNS)}_{chance.randrange(500)}"},
        )
        yield "rare word", lambda: {"q": chance.choice(WORDS)}
        yield "common word", lambda: {"q": chance.choice(VERBS)}
        yield "two words", lambda: {"q": f"{chance.choice(VERBS)} {chance.choice(NOUNS)}"}
        yield "five words", lambda: {"q": f"the and more {chance.choice(VERBS)} {chance.choice(WORDS)}"}
        yield (
            "five common words",
            lambda: {"q": f"the and more use {chance.choice(VERBS)} {chance.choice(NOUNS)}"},
        )
        yield "words nobody has", lambda: {"q": f"{chance.choice(VERBS)} unheard-of{chance.randrange(99)}"}
        yield "argument", lambda: {"argument": chance.choice(ARGUMENTS), "type": "string"}
        yield "argument, high risk", lambda: {"argument": "path", "type": "string", "risk": "high"}
        yield "only reads, no secret", lambda: {"annotation": "readOnlyHint:true", "secrets": "none"}
        yield "risk", lambda: {"risk": chance.choice(("low", "medium", "high"))}
        yield "kind nobody has", lambda: {"kind": "template"}
        yield (
            "all at once",
            lambda: {
                "q": chance.choice(NOUNS),
                "argument": "query",
                "type": "string",
                "risk": "low",
                "kind": "tool",
            },
        )


def _joined(pattern: str, name: Making) -> str:
    return pattern.format(name())


def _added(path: Making, rest: str) -> str:
    return path() + rest


def _asking(path: str, query: Callable[[], dict[str, str]]) -> str:
    values = query()
    if path.startswith("/api"):
        # Programs say it in their own words.
        values = {"text" if name == "q" else name: value for name, value in values.items()}
        if kind := values.pop("type", ""):
            values["argument"] += f":{kind}"
    return f"{path}?{urlencode(values)}"


def _tile(number: int) -> str:
    return f"{number:03}" if number < 1000 else f"x{number // 1000:03}/{number % 1000:03}"
