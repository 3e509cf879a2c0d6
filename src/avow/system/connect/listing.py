"""Reading a server's lists: several at once, those that it keeps back, and those that it never announced."""

import time
from collections.abc import Iterable
from typing import Final

from avow.core.canonical import JsonObject
from avow.core.capability import Kind, Signature
from avow.errors import PeerProtocolError, ServerLaunchError
from avow.system.connect.conversation import Conversation
from avow.system.connect.pages import Listing, UnreadableListError, read_list

# The member of the server's capabilities that announces each kind.
DECLARED_BY: Final = {
    Kind.TOOL: "tools",
    Kind.PROMPT: "prompts",
    Kind.RESOURCE: "resources",
    Kind.TEMPLATE: "resources",
}

_BURST: Final = 0.05
_PATIENCE_WITH_THE_SILENT: Final = 0.5
_FENCE: Final = 1.0


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
    return {
        kind: read_list(conversation, kind, number)
        if kind is not Kind.TEMPLATE or _is_answered(conversation, kind, number)
        else Listing(kind, problem=f"the server did not answer {kind.list_method}")
        for kind, number in sorted(asked.items(), key=lambda item: item[0] is Kind.TEMPLATE)
    }


def _is_answered(conversation: Conversation, kind: Kind, number: int) -> bool:
    """Whether the server answers at all, within half of the time that is left.

    Some never answer a request that they do not know. Who was waited for once is not waited for again.
    """
    half = (conversation.deadline - time.monotonic()) / 2
    patience = min(half, _PATIENCE_WITH_THE_SILENT) if kind in conversation.silent else half
    if conversation.answer_by(number, time.monotonic() + patience) is not None:
        return True
    conversation.silent.add(kind)
    return False


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
            if conversation.answer_by(number, until) is None:
                conversation.note(
                    f"the server does not answer {kind.list_method}, which it does not announce"
                )
                continue
            listing = read_list(conversation, kind, number)
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
