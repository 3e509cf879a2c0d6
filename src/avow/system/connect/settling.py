"""Waiting until a server has stopped changing its lists, and telling open changes from secret ones."""

import time
from collections.abc import Sequence
from typing import Final

from avow.core.canonical import JsonObject
from avow.core.capability import Kind
from avow.system.connect.conversation import Conversation
from avow.system.connect.listing import Listings, read_lists

_QUIET: Final = 0.1
_BURST: Final = 0.01
_AFTERTHOUGHT: Final = 0.05
_LONGEST_UNREST: Final = 3.0


def changing_members(capabilities: JsonObject) -> list[str]:
    """The members of the capabilities whose lists the server promises to announce changes of."""
    members = [(member, capabilities.get(member)) for member in ("tools", "prompts", "resources")]
    return [
        member
        for member, declared in members
        if isinstance(declared, dict) and declared.get("listChanged") is True
    ]


def settled_lists(conversation: Conversation, kinds: Sequence[Kind], *, may_change: bool) -> Listings:
    """The lists as they are once the server has stopped changing them."""
    start = time.monotonic()
    lists = read_lists(conversation, kinds)
    while _changes_before_quiet(conversation, kinds, start, may_change=may_change):
        if time.monotonic() > min(conversation.opened + _LONGEST_UNREST, conversation.deadline):
            conversation.note(
                "the server kept announcing changes of its lists; this is the last that was seen"
            )
            break
        burst = time.monotonic() + _BURST
        while conversation.listen_once(burst):
            pass
        lists.update(read_lists(conversation, [kind for kind in kinds if kind in conversation.changed]))
    return lists


def has_changed_openly(conversation: Conversation, before: Listings, after: Listings) -> bool:
    """Whether the server announces that what it lists now is not what it listed before."""
    if all(listing.is_same(before[kind]) for kind, listing in after.items()):
        return bool(conversation.changed.intersection(after))
    until = time.monotonic() + _AFTERTHOUGHT
    while not conversation.changed.intersection(after):
        if not conversation.listen_once(until):
            return False
    return True


def _changes_before_quiet(
    conversation: Conversation, kinds: Sequence[Kind], start: float, *, may_change: bool
) -> bool:
    """Wait until the server has been quiet for a while; True when it announces a change instead."""
    while not conversation.changed.intersection(kinds):
        if not may_change and conversation.last_stir == 0:
            return False
        quiet = max(start, conversation.last_stir) + _QUIET
        if time.monotonic() >= quiet:
            return False
        conversation.listen_once(quiet)
    return True
