"""Waiting until a server has stopped changing its lists, and telling open changes from secret ones."""

import time
from collections.abc import Callable, Sequence
from typing import Final

from avow.core.canonical import JsonObject
from avow.core.capability import Kind
from avow.system.connect.conversation import Conversation
from avow.system.connect.listing import Listings, read_lists

# How long a server that may change its lists has to keep still before we believe what it shows; less
# when it shows what was expected, since nobody would thank us for waiting then.
QUIET: Final = 0.25
QUIET_AS_EXPECTED: Final = 0.02
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


class Settling:
    """The lists of one session, from the first look at them until they keep still."""

    def __init__(
        self,
        conversation: Conversation,
        kinds: Sequence[Kind],
        *,
        may_change: bool,
        is_expected: Callable[[Listings], bool],
        moment: float = QUIET_AS_EXPECTED,
    ) -> None:
        """Nothing is asked yet. Lists that are expected need no more than a `moment`."""
        self._conversation = conversation
        self._kinds = kinds
        self._may_change = may_change
        self._is_expected = is_expected
        self._moment = moment
        self._start = time.monotonic()
        self._end = min(conversation.deadline, self._start + _LONGEST_UNREST)
        self.has_settled = True

    def read(self) -> Listings:
        """The lists as they are once the server has stopped changing them."""
        conversation = self._conversation
        lists = read_lists(conversation, self._kinds)
        while self._changes_before_quiet(lists):
            if time.monotonic() > self._end:
                self.has_settled = False
                conversation.note(
                    "the server kept announcing changes of its lists; this is the last that was seen"
                )
                break
            burst = time.monotonic() + _BURST
            while conversation.listen_once(burst):
                pass
            changed = [kind for kind in self._kinds if kind in conversation.changed]
            lists.update(read_lists(conversation, changed))
        return lists

    def _changes_before_quiet(self, lists: Listings) -> bool:
        """Wait until the server has been quiet for a while; True when it announces a change instead."""
        conversation = self._conversation
        quiet = self._moment if self._is_expected(lists) else QUIET
        while not conversation.changed.intersection(self._kinds):
            if not self._may_change and conversation.last_stir == 0:
                return False
            until = max(self._start, conversation.last_stir) + quiet
            if time.monotonic() >= until:
                return False
            conversation.listen_once(until)
        return True


def has_changed_openly(conversation: Conversation, before: Listings, after: Listings) -> bool:
    """Whether the server announces that what it lists now is not what it listed before."""
    if all(listing.is_same(before[kind]) for kind, listing in after.items()):
        return bool(conversation.changed.intersection(after))
    until = time.monotonic() + _AFTERTHOUGHT
    while not conversation.changed.intersection(after):
        if not conversation.listen_once(until):
            return False
    return True
