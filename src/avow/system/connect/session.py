"""One session with a server: open it, look at everything it shows, look again, look as somebody else."""

from dataclasses import replace
from typing import Final

from avow.core.canonical import Digest
from avow.core.capability import Kind
from avow.core.snapshot import Era, Snapshot, Source
from avow.core.target import Target
from avow.errors import ServerLaunchError
from avow.system.connect.channel import Channel
from avow.system.connect.conversation import Conversation
from avow.system.connect.declaration import (
    Declaration,
    as_listed,
    listed_otherwise,
    note_otherwise,
    read_declaration,
)
from avow.system.connect.listing import (
    Listings,
    check_refusal,
    declared_kinds,
    read_lists,
    signature_of,
    undeclared_lists,
)
from avow.system.connect.negotiation import (
    Negotiated,
    Opening,
    ask_discover,
    discovered,
    initialize_again,
    negotiate,
)
from avow.system.connect.options import ConnectOptions, Look
from avow.system.connect.settling import (
    QUIET_AS_EXPECTED,
    Settling,
    changing_members,
    has_changed_openly,
)

AGAINST_ITSELF: Final = "in its lists, against its own signature"


class LeftEarlyError(ServerLaunchError):
    """A server went away when it was asked for the same a second time."""


class Session:
    """A server that has introduced itself."""

    def __init__(
        self,
        target: Target,
        conversation: Conversation,
        negotiated: Negotiated,
        expected: Digest | None = None,
    ) -> None:
        """Use a conversation whose negotiation is over; lists as `expected` are believed sooner."""
        self._target = target
        self._conversation = conversation
        self._negotiated = negotiated
        self._expected = expected
        self._lists: Listings = {}
        self._declaration: Declaration | None = None
        self.has_settled = True

    @property
    def era(self) -> Era:
        """Which era the server lives in."""
        return self._negotiated.era

    def look(self, *, twice: bool = False, moment: float = QUIET_AS_EXPECTED) -> tuple[Look, ...]:
        """Everything the server shows after it has settled, and what it shows when asked once more.

        Where it shows what was expected, it is given a `moment` to change its mind.
        """
        conversation, capabilities = self._conversation, self._negotiated.capabilities
        kinds = declared_kinds(capabilities)
        self._declaration = read_declaration(conversation, capabilities)
        self._subscribe()
        settling = Settling(
            conversation,
            kinds,
            may_change=self._may_change,
            is_expected=self._is_expected,
            moment=moment,
        )
        self._lists = self._checked(settling.read())
        again = self._read_again(kinds, settling) if twice else None
        self.has_settled = settling.has_settled
        found = self._undeclared()
        self._lists |= found
        looks = self._first_looks()
        if again is None:
            return looks
        different = [kind for kind in kinds if not again[kind].is_same(self._lists[kind])]
        methods = [kind.list_method for kind in different or kinds[:1]] or [Kind.TOOL.list_method]
        seen = f"on a second {' and '.join(methods)} in the same session"
        return *looks, Look(seen, self._shown(again | found))

    def _first_looks(self) -> tuple[Look, ...]:
        """What the server declares, and what it lists where that is something else."""
        if self._declaration is None:
            return (Look("", self._snapshot(self._lists)),)
        otherwise = listed_otherwise(self._declaration, self._lists)
        note_otherwise(self._conversation, self._declaration, otherwise)
        first = Look("", self._snapshot(self._lists))
        return (first, Look(AGAINST_ITSELF, self._shown(self._lists))) if otherwise else (first,)

    def look_as(self, name: str, *, moment: float = 0.0) -> Look:
        """What the server shows to a client with another name, on the same connection.

        In the older era that takes a second handshake. Where it shows the same as before, it is given
        a `moment` to change its mind.

        Raises:
            AvowError: the server refuses, or leaves, or what it says cannot be read.
        """
        self._conversation.begin_anew(name)
        if self.era is Era.MODERN:
            return self._look_as_modern(name)
        negotiated = initialize_again(self._conversation, self._negotiated.version)
        declared = self._declaration
        signature = signature_of(self._lists) if declared is None else declared.signature
        other = Session(self._target, self._conversation, negotiated, signature.digest)
        return Look(by_client(name), other.look(moment=moment)[-1].snapshot)

    def _look_as_modern(self, name: str) -> Look:
        conversation = self._conversation
        asked = ask_discover(conversation, self._negotiated.version)
        lists = read_lists(conversation, tuple(self._lists))
        negotiated = discovered(conversation, asked)
        new = [kind for kind in declared_kinds(negotiated.capabilities) if kind not in lists]
        other = Session(self._target, conversation, negotiated)
        other._declaration = read_declaration(conversation, negotiated.capabilities)
        return Look(by_client(name), other._shown(lists | read_lists(conversation, new)))

    @property
    def _may_change(self) -> bool:
        """Whether the lists may be different in a moment."""
        return bool(changing_members(self._negotiated.capabilities))

    def _is_expected(self, lists: Listings) -> bool:
        """Whether the lists need not be doubted for long."""
        declared = self._declaration
        if declared is None:
            return signature_of(lists).digest == self._expected
        return declared.signature.digest == self._expected and not listed_otherwise(declared, lists)

    def _subscribe(self) -> None:
        """Ask a modern server to announce changes, which it otherwise keeps to itself."""
        members = changing_members(self._negotiated.capabilities)
        if members and self.era is Era.MODERN:
            wanted = {f"{member}ListChanged": True for member in members}
            self._conversation.ask("subscriptions/listen", {"notifications": wanted})

    def _read_again(self, kinds: tuple[Kind, ...], settling: Settling) -> Listings:
        """The lists a second time; a change that the server announces meanwhile is no secret one.

        Raises:
            LeftEarlyError: it does not survive the question.
        """
        conversation = self._conversation
        try:
            again = read_lists(conversation, kinds)
            if has_changed_openly(conversation, self._lists, again):
                self._lists = settling.read()
                again = read_lists(conversation, kinds)
                if has_changed_openly(conversation, self._lists, again):
                    return self._lists
        except ServerLaunchError as exc:
            raise LeftEarlyError(
                f"{conversation.server} left when it was asked for its lists a second time: {exc.message}",
                hint="a server that shows itself once cannot be held to anything",
            ) from exc
        # What is the same need not be held twice.
        same = {kind: self._lists[kind] for kind in again if self._lists[kind].stands_for(again[kind])}
        return self._checked(again | same)

    def _checked(self, lists: Listings) -> Listings:
        """The lists, if none was refused that matters."""
        for listing in lists.values():
            check_refusal(self._conversation, listing)
        return lists

    def _undeclared(self) -> Listings:
        kinds = [kind for kind in Kind if kind not in self._lists]
        answered = [listing for kind, listing in self._lists.items() if kind is not Kind.TEMPLATE]
        fewest = min(answered, key=lambda listing: len(listing.capabilities), default=None)
        fence = "ping" if fewest is None else fewest.kind.list_method
        try:
            return undeclared_lists(self._conversation, kinds, fence)
        except ServerLaunchError:
            self._conversation.note("the server left when it was asked for a list that it does not announce")
            return {}

    def _snapshot(self, lists: Listings) -> Snapshot:
        negotiated, declared = self._negotiated, self._declaration
        problems = tuple(listing.problem for listing in lists.values() if listing.problem)
        snapshot = Snapshot(
            target=self._target,
            server=negotiated.server,
            protocol_version=negotiated.version,
            era=negotiated.era,
            capabilities=negotiated.capabilities,
            signature=signature_of(lists),
            instructions=negotiated.instructions,
            configuration_schema=negotiated.configuration_schema,
            protocol_versions=negotiated.versions,
            complete=not problems,
            notes=(*self._conversation.notes, *problems),
        )
        if declared is None:
            return snapshot
        incomplete = [kind.collection for kind in Kind if kind in declared.open_kinds]
        return replace(
            snapshot,
            signature=declared.signature,
            source=Source.DECLARED,
            complete=declared.is_complete and not problems,
            extra={"incomplete": incomplete} if incomplete else {},
        )

    def _shown(self, lists: Listings) -> Snapshot:
        """The same as a client meets it, who does not ask whether the lists keep to the signature."""
        snapshot = self._snapshot(lists)
        if self._declaration is None:
            return snapshot
        otherwise = listed_otherwise(self._declaration, lists)
        return replace(snapshot, signature=as_listed(self._declaration, otherwise))


def by_client(name: str) -> str:
    """The circumstances of a look under another name."""
    return f"by a client named {name}"


def introduce(
    target: Target, channel: Channel, options: ConnectOptions, deadline: float, opening: Opening
) -> Session:
    """Negotiate over an open channel."""
    conversation = Conversation(channel, deadline, options.limits, options.client_name)
    negotiated = negotiate(conversation, opening)
    options.progress(f"connected to {channel.server}")
    return Session(target, conversation, negotiated, options.expected)
