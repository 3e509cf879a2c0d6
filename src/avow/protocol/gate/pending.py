"""Requests that wait for their answer, one table per direction, bounded."""

from collections import OrderedDict
from typing import Final, Generic, NamedTuple, TypeVar

import msgspec

from avow.core.canonical import JsonObject
from avow.core.capability import Kind
from avow.errors import MalformedInputError
from avow.protocol.messages import RequestId

_REMEMBERED: Final = 1024

T = TypeVar("T")


class Claims(msgspec.Struct, frozen=True):
    """What a client says about itself: for a whole session after a handshake, or in each modern request.

    `key` tells claims apart: what a server shows under one set of claims is not known under another.
    `meta` is what a request of our own on behalf of that client carries.
    """

    version: str = ""
    capabilities: JsonObject = msgspec.field(default_factory=dict)
    key: bytes = b""
    meta: JsonObject | None = None


class Listing(msgspec.Struct):
    """One walk through the pages of a list: the names seen so far, and where the next page starts."""

    kind: Kind
    generation: int
    key: bytes = b""
    names: set[str] = msgspec.field(default_factory=set)
    cursor: str | None = None
    from_start: bool = True
    cursors: set[str] = msgspec.field(default_factory=set)
    size: int = 0
    reported: int = 0

    @property
    def pages(self) -> int:
        """How many pages the list has, as far as is known."""
        return len(self.cursors) + 1

    def turn(self, names: frozenset[str], cursor: str | None, size: int) -> None:
        """A page came.

        Raises:
            MalformedInputError: its successor is a page that was there before.
        """
        if cursor in self.cursors:
            raise MalformedInputError("the pages of the list go in a circle")
        if cursor is not None:
            self.cursors.add(cursor)
        self.names |= names
        self.cursor = cursor
        self.size += size


class Pending(NamedTuple):
    """A request under way: what it asked, on whose claims, and what its answer will be checked with."""

    method: str
    claims: Claims | None = None
    listing: Listing | None = None
    name: str = ""
    known_digest: str = ""


class PendingTable(Generic[T]):
    """Requests of one direction by id; ids that were given up are remembered for a while.

    A cancelled request may still be answered, and its id must not be taken for a new request's.
    """

    def __init__(self, limit: int) -> None:
        """An empty table of at most `limit` requests."""
        self._limit = limit
        self._waiting: dict[RequestId, T] = {}
        self._given_up: OrderedDict[RequestId, None] = OrderedDict()

    def __len__(self) -> int:
        """How many requests wait."""
        return len(self._waiting)

    def __contains__(self, request_id: RequestId) -> bool:
        """Whether the id is in use, or was until lately."""
        return request_id in self._waiting or request_id in self._given_up

    @property
    def is_full(self) -> bool:
        """Whether no further request may be added."""
        return len(self._waiting) >= self._limit

    def add(self, request_id: RequestId, entry: T) -> None:
        """Remember a request."""
        self._waiting[request_id] = entry

    def admit(self, request_id: RequestId, entry: T) -> bool:
        """Remember a request, unless its id is in use, or was until lately, or the table is full."""
        waiting = self._waiting
        if request_id in waiting or request_id in self._given_up or len(waiting) >= self._limit:
            return False
        waiting[request_id] = entry
        return True

    def get(self, request_id: RequestId) -> T | None:
        """What is known about a waiting request."""
        return self._waiting.get(request_id)

    def take(self, request_id: RequestId) -> T | None:
        """The request that an answer belongs to, which no second answer will."""
        return self._waiting.pop(request_id, None)

    def give_up(self, request_id: RequestId) -> None:
        """A request was cancelled: its answer may come or not."""
        if self._waiting.pop(request_id, None) is not None:
            self._given_up[request_id] = None
            if len(self._given_up) > _REMEMBERED:
                self._given_up.popitem(last=False)

    def was_given_up(self, request_id: RequestId) -> bool:
        """Whether this is the late answer to a cancelled request; it is expected once."""
        if request_id not in self._given_up:
            return False
        del self._given_up[request_id]
        return True

    def drain(self) -> list[RequestId]:
        """Every waiting id, oldest first; the table is empty afterwards."""
        ids = list(self._waiting)
        self._waiting.clear()
        return ids
