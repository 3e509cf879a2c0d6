"""What is known about a server: the contract, and whether its present lists have been compared with it.

One connection has one; the requests of a stateless server may share one.
"""

import itertools
from collections import OrderedDict
from typing import Final

import msgspec

from avow.core.arguments import ArgumentChecker, compile_checker
from avow.core.capability import Capability, Kind
from avow.core.contract import Contract
from avow.core.risk.low import LowTools
from avow.core.uri_template import UriTemplate, compile_template
from avow.errors import DeclarationError
from avow.protocol.gate.lists import JudgedPage
from avow.protocol.gate.pending import Listing

_PAGES: Final = 32
_PAGE_BYTES: Final = 2 * 1024 * 1024
_VIEWS: Final = 64


class _View(msgspec.Struct):
    """A list as shown to one set of claims: what looks different in it, and whether all of it was seen."""

    changed: set[str] = msgspec.field(default_factory=set)
    is_whole: bool = False


class _Kind(msgspec.Struct):
    """One kind of capability; `generation` grows whenever the server says that its list changed."""

    views: OrderedDict[bytes, _View] = msgspec.field(default_factory=OrderedDict)
    generation: int = 0

    def view(self, key: bytes) -> _View:
        """What is known under these claims; views that nobody needed for long are forgotten."""
        found = self.views.setdefault(key, _View())
        self.views.move_to_end(key)
        if len(self.views) > _VIEWS:
            self.views.popitem(last=False)
        return found


class Knowledge:
    """The contract, what was seen of the server, and what has been worked out from both."""

    def __init__(self, contract: Contract | None = None) -> None:
        """Nothing seen yet; the contract may have to be established first.

        `version` grows whenever something new is known: a decision made before may have to be made again.
        """
        self.version = 0
        self._questions = itertools.count(1)
        self._contract = contract
        self._kinds = {kind: _Kind() for kind in Kind}
        self._checkers: dict[str, ArgumentChecker | None] = {}
        self._templates: dict[str, UriTemplate | None] = {}
        self._low = LowTools()
        self._pages: OrderedDict[tuple[Kind, bool, bytes], JudgedPage] = OrderedDict()
        self._pages_size = 0

    @property
    def contract(self) -> Contract | None:
        """What sessions are held to, once that is known."""
        return self._contract

    def adopt(self, contract: Contract) -> None:
        """Hold sessions to this from now on; what was worked out from another contract is forgotten."""
        self._contract = contract
        self._checkers.clear()
        self._pages.clear()
        self._pages_size = 0
        self.version += 1

    def next_question(self) -> int:
        """A number that no other question to this server has."""
        return next(self._questions)

    def is_verified(self, kind: Kind, key: bytes) -> bool:
        """Whether the whole present list of a kind has been compared, as shown to these claims."""
        view = self._kinds[kind].views.get(key)
        return view is not None and view.is_whole

    def is_changed(self, kind: Kind, name: str, key: bytes) -> bool:
        """Whether the server last showed these claims something else under an approved name, or twice."""
        view = self._kinds[kind].views.get(key)
        return view is not None and name in view.changed

    def list_changed(self, kind: Kind) -> None:
        """The server says that its list is another one now."""
        self.version += 1
        known = self._kinds[kind]
        known.generation += 1
        for view in known.views.values():
            view.is_whole = False

    def expire(self) -> None:
        """What was seen may no longer be so: every list is compared again before it is relied on."""
        for kind in Kind:
            self.list_changed(kind)

    def generation(self, kind: Kind) -> int:
        """Which list a walk through the pages begins with."""
        return self._kinds[kind].generation

    def saw(self, listing: Listing, judged: JudgedPage) -> None:
        """Remember how each item of a page compares with the contract.

        A server names what it likes, as often as it likes: only approved names are worth remembering.
        """
        self.version += 1
        changed = self._kinds[listing.kind].view(listing.key).changed
        changed -= judged.unchanged
        contract = self._contract
        assert contract is not None
        changed.update(name for name in judged.changed if contract.find(listing.kind, name) is not None)

    def finished(self, listing: Listing) -> bool:
        """A walk came to the last page; false when the list changed on the way."""
        known = self._kinds[listing.kind]
        if known.generation != listing.generation:
            return False
        self.version += 1
        known.view(listing.key).is_whole = True
        return True

    def checker(self, tool: Capability) -> ArgumentChecker | None:
        """The compiled schema of an approved tool; `None` when it does not compile."""
        if tool.name not in self._checkers:
            try:
                self._checkers[tool.name] = compile_checker(tool.definition.get("inputSchema"))
            except DeclarationError:
                self._checkers[tool.name] = None
        return self._checkers[tool.name]

    def template(self, text: str) -> UriTemplate | None:
        """The compiled form of an approved template; `None` when it is none."""
        if text not in self._templates:
            try:
                self._templates[text] = compile_template(text)
            except DeclarationError:
                self._templates[text] = None
        return self._templates[text]

    def is_low(self, tool: Capability) -> bool:
        """Whether a tool is rated `low`."""
        return tool in self._low

    def remembered(self, kind: Kind, restricted: bool, body: bytes) -> JudgedPage | None:
        """The judgement of a page with exactly these bytes."""
        found = self._pages.get((kind, restricted, body))
        if found is not None:
            self._pages.move_to_end((kind, restricted, body))
        return found

    def remember(self, kind: Kind, restricted: bool, body: bytes, judged: JudgedPage) -> None:
        """Keep a judgement, and forget the one that was not asked for longest when there are too many."""
        if len(body) > _PAGE_BYTES:
            return
        self._pages[kind, restricted, body] = judged
        self._pages_size += len(body)
        while len(self._pages) > _PAGES or self._pages_size > _PAGE_BYTES:
            (_, _, forgotten), _ = self._pages.popitem(last=False)
            self._pages_size -= len(forgotten)
