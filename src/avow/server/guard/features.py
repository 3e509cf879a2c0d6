"""Features: what belongs to each of them, and which of them somebody may use."""

import inspect
import logging
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from avow.core.canonical import JsonValue
from avow.core.capability import Kind
from avow.errors import DeclarationError
from avow.protocol.events import shown
from avow.server.addresses import could_match, readings, spelled
from avow.server.guard.identity import Evidence, Identify, Identity, identity_from
from avow.server.seam import Request

logger = logging.getLogger("avow.server")

Grants: TypeAlias = Callable[[Identity], "Collection[str] | Awaitable[Collection[str]]"]
"""The author's decision: the names of the features that an identity may use."""

_GRANTED: Final = "dev.avow/granted"


@dataclass(frozen=True, slots=True)
class Feature:
    """What can be seen, used and is declared only with a grant of the feature.

    Tools and prompts go by their names, resources by URI, templates by URI template; `experimental` are
    members of the server capability of that name. What belongs to several features needs one of them.
    """

    tools: Collection[str] = ()
    prompts: Collection[str] = ()
    resources: Collection[str] = ()
    templates: Collection[str] = ()
    experimental: Mapping[str, JsonValue] = field(default_factory=dict)

    def named(self) -> Iterator[tuple[Kind, str]]:
        """Every capability of the feature."""
        groups = zip(Kind, (self.tools, self.prompts, self.resources, self.templates), strict=True)
        for kind, names in groups:
            if isinstance(names, str):
                raise DeclarationError(
                    f"a feature has a collection of {kind.collection}, not the text {names!r}"
                )
            for name in names:
                yield kind, name


class Features:
    """The features of one server, and who may use them."""

    def __init__(self, features: Mapping[str, Feature], grants: Grants | None, identify: Identify) -> None:
        """Ask `grants` about whoever `identify` finds.

        Raises:
            DeclarationError: there are features and nobody to grant them, or a grant of nothing.
        """
        if bool(features) is not (grants is not None):
            raise DeclarationError(
                "features need somebody who grants them, and grants need features",
                hint="pass both, or neither: guard(server, features={…}, grants=callable)",
            )
        self._features = dict(features)
        self._grants = grants
        self._identify = identify
        self.gated: dict[Kind, dict[str, frozenset[str]]] = {kind: {} for kind in Kind}
        for feature, belongings in self._features.items():
            for kind, name in belongings.named():
                others = self.gated[kind].get(name, frozenset())
                self.gated[kind][name] = others | {feature}
        self._addresses: dict[str, frozenset[str]] = {}
        for uri, needed in self.gated[Kind.RESOURCE].items():
            self._addresses[spelled(uri)] = self._addresses.get(spelled(uri), frozenset()) | needed
        self._reported: set[str] = set()

    def __bool__(self) -> bool:
        """Whether anything depends on who asks."""
        return bool(self._features)

    @property
    def flags(self) -> frozenset[str]:
        """Every word by which a client could claim a feature: its name, and what it declares."""
        declared = (name for each in self._features.values() for name in each.experimental)
        return frozenset([*self._features, *declared])

    def needed_for_address(self, uri: str, matches: Callable[[str, str], bool]) -> list[frozenset[str]]:
        """The features of everything that a URI could lead to, of each of which one is needed.

        However it is spelled: an open template may serve what a closed resource or template has.
        """
        possible = readings(uri)
        resources = [self._addresses[each] for each in possible if each in self._addresses]
        templates = self.gated[Kind.TEMPLATE].items()
        return resources + [needed for text, needed in templates if could_match(text, possible, matches)]

    def experimental(self, granted: frozenset[str]) -> tuple[dict[str, JsonValue], frozenset[str]]:
        """What the granted features declare, and the names that nobody without a grant may see."""
        declared: dict[str, JsonValue] = {}
        names: set[str] = set()
        for feature, belongings in self._features.items():
            names |= belongings.experimental.keys()
            if feature in granted:
                declared |= belongings.experimental
        return declared, frozenset(names - declared.keys())

    async def granted(self, request: Request) -> frozenset[str]:
        """The features that the sender of a request may use; asked once a request, never remembered longer.

        What cannot be decided is not granted.
        """
        known = request.notes.get(_GRANTED)
        if known is None:
            known = request.notes[_GRANTED] = await self.granted_to(Evidence.of(request))
        found: frozenset[str] = known
        return found

    async def granted_to(self, evidence: Evidence) -> frozenset[str]:
        """The features that whoever is behind some evidence may use now."""
        if self._grants is None:
            return frozenset()
        try:
            answer = self._grants(await identity_from(evidence, self._identify))
            granted = frozenset(await answer if inspect.isawaitable(answer) else answer)
        except Exception:
            logger.exception("the grants of a request could not be decided; no feature is granted")
            return frozenset()
        for unknown in sorted(map(str, granted - self._features.keys() - self._reported))[:10]:
            self._reported.add(unknown)
            logger.error("there is no feature %r to grant", shown(unknown))
        return granted & self._features.keys()
