"""Reading a server's lists to their end: pages, limits, and lists that nobody announced."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from avow.core.canonical import JsonObject
from avow.core.capability import Capability, Kind, Signature
from avow.errors import DeclarationError, PeerProtocolError, ServerLaunchError
from avow.system.connect.conversation import Conversation
from avow.system.connect.options import MalformedAnswerError
from avow.system.connect.wire import METHOD_NOT_FOUND, Failure, Result

# The member of the server's capabilities that announces each kind.
DECLARED_BY: Final = {
    Kind.TOOL: "tools",
    Kind.PROMPT: "prompts",
    Kind.RESOURCE: "resources",
    Kind.TEMPLATE: "resources",
}

_BURST: Final = 0.01
_PATIENCE: Final = 1.0
_PATIENCE_OVER_HTTP: Final = 10.0
_FENCE: Final = 1.0


class UnreadableListError(MalformedAnswerError):
    """The answer is sound, and what it holds is no list of one kind's capabilities."""


@dataclass(slots=True)
class Listing:
    """One kind, as far as it could be read; `problem` says why no further."""

    kind: Kind
    capabilities: dict[str, Capability] = field(default_factory=dict)
    problem: str = ""
    is_refused: bool = False

    def is_same(self, other: "Listing") -> bool:
        """Whether both show the same definitions, in whatever order."""
        return _digests(self.capabilities) == _digests(other.capabilities)


Listings = dict[Kind, Listing]


def signature_of(lists: Listings) -> Signature:
    """The capabilities of all lists, kind by kind."""
    return Signature.of(
        capability for kind in Kind if kind in lists for capability in lists[kind].capabilities.values()
    )


def read_lists(conversation: Conversation, kinds: Iterable[Kind]) -> Listings:
    """Ask for several lists at once, and follow each to its end.

    Raises:
        UnreadableListError: a list is none, holds something without a name, or a name twice.
    """
    asked = {}
    # Templates first: a server that drops requests it does not know has then answered the one behind.
    for kind in sorted(kinds, key=lambda kind: kind is not Kind.TEMPLATE):
        conversation.changed.discard(kind)
        asked[kind] = conversation.ask(kind.list_method)
    templates = asked.pop(Kind.TEMPLATE, None)
    lists = {kind: read_list(conversation, kind, number) for kind, number in asked.items()}
    if templates is not None:
        patience = _PATIENCE if conversation.channel.is_ordered else _PATIENCE_OVER_HTTP
        if not asked or conversation.answer_by(templates, time.monotonic() + patience):
            lists[Kind.TEMPLATE] = read_list(conversation, Kind.TEMPLATE, templates)
        else:
            conversation.note(f"the server did not answer {Kind.TEMPLATE.list_method}")
            lists[Kind.TEMPLATE] = Listing(Kind.TEMPLATE)
    return lists


def read_list(conversation: Conversation, kind: Kind, number: int) -> Listing:
    """Follow one list from its first page, which was asked for as `number`."""
    listing = Listing(kind)
    cursors: set[str] = set()
    cursor: str | None = None
    while True:
        answer = conversation.answer(number)
        # Some servers write an empty cursor for "no more", and start anew or refuse when it is sent back.
        is_afterthought = cursor == ""
        if isinstance(answer, Failure):
            if not is_afterthought:
                _refuse(conversation, listing, answer)
            return listing
        cursor = _read_page(conversation, listing, answer, is_afterthought=is_afterthought)
        if cursor is None:
            return listing
        if cursor in cursors:
            listing.problem = f"{kind.list_method} goes round in a circle: it gave the same cursor twice"
        elif len(cursors) + 1 >= conversation.limits.pages:
            listing.problem = f"{kind.list_method} has more than {conversation.limits.pages} pages"
        elif len(listing.capabilities) >= conversation.limits.items:
            listing.problem = f"{kind.list_method} has more than {conversation.limits.items} items"
        if listing.problem:
            return listing
        cursors.add(cursor)
        number = conversation.ask(kind.list_method, {"cursor": cursor})


def undeclared_lists(conversation: Conversation, kinds: Iterable[Kind], fence: str) -> Listings:
    """What the server lists without having announced it; silence and refusals are as good as nothing.

    `fence` is a request that it does answer: whoever works in order has then seen those before it.
    """
    asked = {kind: conversation.ask(kind.list_method) for kind in kinds}
    if conversation.channel.is_ordered and asked:
        conversation.answer_by(conversation.ask(fence), time.monotonic() + _FENCE)
    until = time.monotonic() + (_BURST if conversation.channel.is_ordered else _FENCE)
    found = {}
    for kind, number in asked.items():
        try:
            is_answered = conversation.answer_by(number, until)
            listing = read_list(conversation, kind, number) if is_answered else Listing(kind)
        except UnreadableListError:
            conversation.note(
                f"the server answers {kind.list_method}, which it does not announce, with no list"
            )
            continue
        except (PeerProtocolError, ServerLaunchError):
            # Over HTTP a request fails by itself; in a pipe, so does all that would follow.
            if conversation.channel.is_ordered:
                raise
            continue
        if listing.capabilities:
            conversation.note(f"the server lists {kind.collection} that it does not announce")
            found[kind] = listing
    return found


def declared_kinds(capabilities: JsonObject) -> tuple[Kind, ...]:
    """The kinds that the server says it has."""
    return tuple(kind for kind in Kind if capabilities.get(DECLARED_BY[kind]) is not None)


def check_refusal(conversation: Conversation, listing: Listing) -> None:
    """Judge a list that the server announced and then refused.

    A server without its tools is of no use to anybody. What else it cannot list, say for want of a
    database, leaves the rest worth knowing.

    Raises:
        PeerProtocolError: it refuses its tools for any reason but that it does not know the request.
    """
    if listing.kind is Kind.TOOL and listing.is_refused and listing.problem:
        raise PeerProtocolError(f"{conversation.server}: {listing.problem}")
    # Templates come with the capability of resources, and most servers have none.
    if listing.is_refused and not listing.problem and listing.kind is not Kind.TEMPLATE:
        conversation.note(f"the server announces {listing.kind.collection} but does not list them")


def _refuse(conversation: Conversation, listing: Listing, refusal: Failure) -> None:
    """The server does not list this kind, or not to its end; one that it does not know has no more."""
    listing.is_refused = True
    if refusal.code != METHOD_NOT_FOUND or listing.capabilities:
        reason = f"{conversation.said(refusal.message)} ({refusal.code})"
        listing.problem = f"{listing.kind.list_method} was refused: {reason}"


def _read_page(
    conversation: Conversation, listing: Listing, answer: Result, *, is_afterthought: bool
) -> str | None:
    """Take in one page; the cursor of the next, or None when there is none to ask for."""
    kind, server = listing.kind, conversation.server
    if answer.value.get("resultType", "complete") != "complete":
        raise PeerProtocolError(f"{server} wants something else before it answers {kind.list_method}")
    items = answer.value.get(kind.collection)
    cursor = answer.value.get("nextCursor")
    if not isinstance(items, list) or not (cursor is None or isinstance(cursor, str)):
        raise UnreadableListError(f"{server} answered {kind.list_method} with something that is no list")
    try:
        page = [Capability.read(kind, item) for item in items]
    except DeclarationError as exc:
        raise UnreadableListError(f"{server}: {exc.message}") from exc
    known = listing.capabilities
    if page and known and all(_is_known(known, capability) for capability in page):
        if not is_afterthought:
            listing.problem = f"{kind.list_method} goes round in a circle: a page came twice"
        return None
    for capability in page:
        if capability.name in known:
            raise UnreadableListError(
                f"{server} lists two {kind.collection} called {conversation.said(capability.name)}"
            )
        known[capability.name] = capability
    return cursor


def _is_known(known: Mapping[str, Capability], capability: Capability) -> bool:
    earlier = known.get(capability.name)
    return earlier is not None and earlier.digest == capability.digest


def _digests(capabilities: Mapping[str, Capability]) -> dict[str, str]:
    return {name: capability.digest for name, capability in capabilities.items()}
