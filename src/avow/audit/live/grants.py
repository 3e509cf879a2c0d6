"""Whether a server gives more to a client that claims more, or that comes under another name."""

from collections.abc import Callable, Iterator
from typing import Final

from avow.audit.live import rules
from avow.audit.live.envelope import envelope
from avow.audit.live.probe import Comparison, Known, UnansweredError, View
from avow.audit.live.surface import Surface, look
from avow.audit.live.talk import CLIENT, Reply, Talk
from avow.core.canonical import JsonObject, JsonValue

# Names by which people call what only some clients should get.
_FLAGS: Final = (
    "advancedMode",
    "advanced",
    "admin",
    "debug",
    "developer",
    "internal",
    "experimental",
    "beta",
    "unsafe",
    "premium",
    "all",
)
# What only servers declare; one that looks for it in a client's capabilities lets the client choose.
_OF_SERVERS: Final[JsonObject] = {
    "resources": {"subscribe": True, "listChanged": True},
    "tools": {"listChanged": True},
    "prompts": {"listChanged": True},
}
# Other things that a client can call itself, and in which words that is told.
CLIENTS: Final[tuple[tuple[str, JsonObject], ...]] = (
    *((f"calls itself {name}", {"name": name, "version": "1.0.0"}) for name in ("cursor-vscode", "admin")),
    ("has another title and version", {**CLIENT, "title": "Admin Console", "version": "99.0.0"}),
)
# What a client says that can have its long requests done as tasks; a server has no tools more for that.
_TASKS: Final[JsonObject] = {"list": {}, "cancel": {}}


def ordinary(talk: Talk) -> Surface | None:
    """What a client sees that is nobody in particular and can do nothing."""
    return _opened(talk, talk.initialize())


def ordinary_stateless(talk: Talk) -> Surface | None:
    """The same, on single requests."""
    return _discovered(talk, envelope())


def _claims(flags: JsonValue) -> Callable[[Talk, Known], Surface | None]:
    def view(talk: Talk, known: Known) -> Surface | None:
        return _opened(talk, talk.initialize(capabilities=_claimed(known, flags)))

    return view


def _claims_stateless(flags: JsonValue) -> Callable[[Talk, Known], Surface | None]:
    def view(talk: Talk, known: Known) -> Surface | None:
        return _discovered(talk, envelope(capabilities=_claimed(known, flags)))

    return view


def _after_claims(talk: Talk, known: Known) -> Surface | None:
    talk.request("tools/list", envelope(capabilities=_claimed(known, {"enabled": True})))
    return ordinary_stateless(talk)


def _named(client: JsonObject) -> Callable[[Talk, Known], Surface | None]:
    return lambda talk, _known: _opened(talk, talk.initialize(client=client))


def _named_stateless(client: JsonObject) -> Callable[[Talk, Known], Surface | None]:
    return lambda talk, _known: _discovered(talk, envelope(client=client))


def _claimed(known: Known, flag: JsonValue) -> JsonObject:
    """Every feature that one may think of, and those that the server speaks of itself.

    Not the server's own extensions: one that both speak may add to what is listed.
    """
    own = known.surface.capabilities.get("experimental")
    names = (*_FLAGS, *(own if isinstance(own, dict) else ()))
    extended = {name: {"enabled": True} for word in names for name in (word, f"com.example/{word}")}
    return {
        "experimental": dict.fromkeys(names, flag),
        "extensions": extended,
        "tasks": _TASKS,
        **_OF_SERVERS,
    }


def _opened(talk: Talk, reply: Reply) -> Surface | None:
    if not reply.came:
        raise UnansweredError
    if reply.result is None:
        return None
    talk.notify("notifications/initialized")
    return _seen(look(talk, reply.result))


def _discovered(talk: Talk, params: JsonObject) -> Surface | None:
    reply = talk.request("server/discover", params)
    if not reply.came:
        raise UnansweredError
    return None if reply.result is None else _seen(look(talk, reply.result, params))


def _seen(surface: Surface) -> Surface:
    if not any(reply.came for reply in surface.replies.values()):
        raise UnansweredError
    return surface


def _legacy() -> Iterator[Comparison]:
    claims = "to a client that claims features"
    for name, flag in (("claimed flags", True), ("claimed features", {"enabled": True})):
        yield Comparison(name, (View(claims, rules.GROWS_BY_CLAIM, _claims(flag)),), ordinary)
    for words, client in CLIENTS:
        view = View(f"to a client that {words}", rules.DIFFERS_BY_NAME, _named(client), counts_fewer=True)
        yield Comparison(f"a client that {words}", (view,), ordinary)


def _stateless() -> Iterator[View]:
    claims = "to a request that claims features"
    yield View(claims, rules.GROWS_BY_CLAIM, _claims_stateless(True))
    yield View(claims, rules.GROWS_BY_CLAIM, _claims_stateless({"enabled": True}))
    yield View("to a request that follows one with claims", rules.GROWS_BY_CLAIM, _after_claims)
    for words, client in CLIENTS:
        who = f"to a client that {words}"
        yield View(who, rules.DIFFERS_BY_NAME, _named_stateless(client), counts_fewer=True)


LEGACY: Final = tuple(_legacy())
# No request has to do with another, so that all of them may share a connection.
STATELESS: Final = (Comparison("claims and names, stateless", tuple(_stateless()), ordinary_stateless),)
