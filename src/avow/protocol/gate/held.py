"""Messages of a client that wait, in order, until enough is known to judge them."""

from collections import deque
from collections.abc import Iterator
from contextlib import suppress

from avow.protocol.gate.policy import Limits
from avow.protocol.gate.stateless import HeaderFacts
from avow.protocol.messages import Form, Message, RequestId, UnreadableMessageError, read, read_batch


class Held:
    """A bounded queue."""

    def __init__(self, limits: Limits) -> None:
        """Empty, within the limits of a connection."""
        self._limits = limits
        self.queue: deque[tuple[Message, HeaderFacts | None]] = deque()
        self._size = 0

    def __len__(self) -> int:
        """How many messages wait."""
        return len(self.queue)

    def add(self, message: Message, headers: HeaderFacts | None) -> bool:
        """Hold a message; false when there is no room."""
        size = len(message.line)
        if len(self.queue) >= self._limits.held_messages or self._size + size > self._limits.held_bytes:
            return False
        self.queue.append((message, headers))
        self._size += size
        return True

    def first(self) -> tuple[Message, HeaderFacts | None]:
        """The message that has waited longest."""
        return self.queue[0]

    def remove_first(self) -> None:
        """The message that waited longest has been dealt with."""
        message, _ = self.queue.popleft()
        self._size -= len(message.line)

    def clear(self) -> None:
        """Nobody waits any more."""
        self.queue.clear()
        self._size = 0

    def request_ids(self) -> Iterator[RequestId]:
        """The ids of the requests that wait."""
        for message, _ in self.queue:
            if message.form is Form.BATCH:
                yield from ids_in_batch(message)
            elif message.id is not None:
                yield message.id


def ids_in_batch(batch: Message) -> Iterator[RequestId]:
    """The ids of the requests in an array, as far as they can be read."""
    with suppress(UnreadableMessageError):
        for part in read_batch(batch.line):
            with suppress(UnreadableMessageError):
                request = read(part)
                if request.form is Form.REQUEST and request.id is not None:
                    yield request.id
