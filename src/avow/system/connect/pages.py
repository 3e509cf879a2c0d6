"""Following one list from page to page: to its end, to a limit, or until it goes round in a circle."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from avow.core.capability import Capability, Kind
from avow.errors import DeclarationError, PeerProtocolError
from avow.system.connect.conversation import Conversation
from avow.system.connect.options import MalformedAnswerError
from avow.system.connect.wire import METHOD_NOT_FOUND, Failure, Result

_MORE_REPEATED_PAGES: Final = 50


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

    def stands_for(self, other: "Listing") -> bool:
        """Whether nothing is lost when the other is forgotten."""
        return self.is_same(other) and (self.problem, self.is_refused) == (other.problem, other.is_refused)


class _Pages:
    """How far a list was followed: pages with something new, pages without, cursors given."""

    def __init__(self) -> None:
        self.fresh = self.repeated = 0
        self.cursors: set[str] = set()
        self.has_begun_anew = False

    def turn(self, is_repeated: bool, cursor: str | None) -> None:
        """Count a page that came for this cursor; some servers begin anew when an empty one is sent back."""
        self.fresh += not is_repeated
        self.repeated += is_repeated
        self.has_begun_anew = self.has_begun_anew or (is_repeated and cursor == "")


def read_list(conversation: Conversation, kind: Kind, number: int) -> Listing:
    """Follow one list from its first page, which was asked for as `number`, for as long as it goes on."""
    listing = Listing(kind)
    pages = _Pages()
    cursor: str | None = None
    while True:
        answer = conversation.answer(number)
        if isinstance(answer, Failure):
            # Some servers write an empty cursor for "no more", and refuse it when it is sent back.
            if cursor != "":
                _refuse(conversation, listing, answer)
            return listing
        page, following = _read_page(conversation, kind, answer)
        pages.turn(_take_in(conversation, listing, page, pages), cursor)
        cursor = following
        if cursor is None or (cursor in pages.cursors and pages.has_begun_anew):
            return listing
        listing.problem = _reason_to_stop(conversation, listing, pages, cursor)
        if listing.problem:
            return listing
        pages.cursors.add(cursor)
        number = conversation.ask(kind.list_method, {"cursor": cursor})


def _refuse(conversation: Conversation, listing: Listing, refusal: Failure) -> None:
    """The server does not list this kind, or not to its end; one that it does not know has no more."""
    listing.is_refused = True
    if refusal.code != METHOD_NOT_FOUND or listing.capabilities:
        reason = f"{conversation.said(refusal.message)} ({refusal.code})"
        listing.problem = f"{listing.kind.list_method} was refused: {reason}"


def _reason_to_stop(conversation: Conversation, listing: Listing, pages: _Pages, cursor: str) -> str:
    """Why the list is not followed to this cursor; empty when it is.

    A page that came before may lead to one that did not, so that alone is no reason.
    """
    method, limits = listing.kind.list_method, conversation.limits
    if cursor in pages.cursors:
        return f"{method} goes round in a circle: it gave the same cursor twice"
    if pages.repeated > pages.fresh + _MORE_REPEATED_PAGES:
        return f"{method} goes round in a circle: it gives the same pages again and again"
    if pages.fresh + pages.repeated >= limits.pages:
        return f"{method} has more than {limits.pages} pages"
    if len(listing.capabilities) >= limits.items:
        return f"{method} has more than {limits.items} items"
    return ""


def _read_page(conversation: Conversation, kind: Kind, answer: Result) -> tuple[list[Capability], str | None]:
    """What is on one page, and the cursor of the next."""
    server = conversation.server
    if answer.value.get("resultType", "complete") != "complete":
        raise PeerProtocolError(f"{server} wants something else before it answers {kind.list_method}")
    items = answer.value.get(kind.collection)
    cursor = answer.value.get("nextCursor")
    if not isinstance(items, list) or not (cursor is None or isinstance(cursor, str)):
        raise UnreadableListError(f"{server} answered {kind.list_method} with something that is no list")
    try:
        return [Capability.read(kind, item) for item in items], cursor
    except DeclarationError as exc:
        raise UnreadableListError(f"{server}: {exc.message}") from exc


def _take_in(conversation: Conversation, listing: Listing, page: list[Capability], pages: _Pages) -> bool:
    """Add a page to the list, and say whether all of it was there before.

    What comes again on a page with something new is a second of that name, unless pages came again before.
    """
    known = listing.capabilities
    is_repeated = all(_is_known(known, capability) for capability in page)
    for capability in page:
        if capability.name not in known:
            known[capability.name] = capability
        elif not (is_repeated or pages.repeated) or not _is_known(known, capability):
            raise UnreadableListError(
                f"{conversation.server} lists two {listing.kind.collection} "
                f"called {conversation.said(capability.name)}"
            )
    return is_repeated


def _is_known(known: Mapping[str, Capability], capability: Capability) -> bool:
    earlier = known.get(capability.name)
    return earlier is not None and earlier.digest == capability.digest


def _digests(capabilities: Mapping[str, Capability]) -> dict[str, str]:
    return {name: capability.digest for name, capability in capabilities.items()}
