"""`guard`: one call that hardens how a server negotiates, and the handle on what it does."""

from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from mcp.server.models import InitializationOptions

from avow.core.capability import Kind
from avow.core.severity import Severity
from avow.errors import DeclarationError
from avow.protocol.events import event
from avow.protocol.negotiation import Controls, UnknownVersions, VersionPolicy
from avow.protocol.versions import KNOWN
from avow.server.guard.asking import Asking
from avow.server.guard.catalogue import Catalogue
from avow.server.guard.declaration import Declaration, Promises
from avow.server.guard.features import Feature, Features, Grants
from avow.server.guard.granting import Granting
from avow.server.guard.identity import Identify, authenticated
from avow.server.guard.phases import Phases
from avow.server.guard.sessions import Session, Sessions
from avow.server.guard.trail import Listener, Trail
from avow.server.guard.versions import Restriction, Versions
from avow.server.lowlevel import LowlevelFramework
from avow.server.seam import SdkServer, Seam, lowlevel_of

PREFERRED: Final = "2025-11-25"
BASELINE: Final = "2025-06-18"
"""The first version that names the protocol in every HTTP request and binds tokens to a server."""
MINIMUM: Final = "2025-03-26"
"""The first version with authorization."""


def guard(
    server: Any,
    *,
    features: Mapping[str, Feature] | None = None,
    grants: Grants | None = None,
    identify: Identify = authenticated,
    preferred: str | None = PREFERRED,
    baseline: str | None = BASELINE,
    minimum: str | None = MINIMUM,
    controls: Controls | str = Controls.RESTRICT,
    unknown_versions: UnknownVersions | str = UnknownVersions.REFUSE,
    list_changed: Collection[str] = (),
    subscribe: bool | None = None,
    may_be_empty: Collection[str] = (),
    allow_sessionless: bool = False,
    max_half_open: int = 1_000,
    handshake_seconds: float = 60.0,
    on_event: Listener | None = None,
) -> "Guard":
    """Harden a server's negotiation: an `MCPServer`, a low-level `Server` of mcp 2.x, or FastMCP 4.

    - `features` are what only some may use, `grants` says who: it gets the `Identity` of whoever sent a
      request and returns the names of features. `identify` makes the identity from what the transport
      knows; by default from the access token or the client certificate.
    - `preferred`, `baseline` and `minimum` are versions: an older session than the first is logged, one older
      than the second gets `controls` (`restrict`: only tools rated low; `reject`; `log`), one older than the
      third is refused, and so is an unknown one unless `unknown_versions` is `"counter-offer"`.
    - `list_changed` names the lists (`"tools"`) whose changes the server tells its clients of, `may_be_empty`
      those that fill later, `subscribe` says whether resources can be subscribed to, where that cannot
      be seen.
    - `allow_sessionless` admits handshake-era clients on a transport without sessions, where
      nobody can tell whether they were ever initialized.
    - `max_half_open` sessions may wait for `notifications/initialized`, each for `handshake_seconds`.
    - `on_event` gets every audit event as a document.

    It works together with `declare`, in any order.

    Raises:
        DeclarationError: it is no such server, it is guarded already, or something here is no such thing.
    """
    policy = VersionPolicy(
        _version("preferred", preferred),
        _version("baseline", baseline),
        _version("minimum", minimum),
        _choice(Controls, "controls", controls),
    )
    return Guard(
        server,
        Features(features or {}, grants, identify),
        policy,
        _choice(UnknownVersions, "unknown_versions", unknown_versions),
        Promises.of(list_changed, subscribe, may_be_empty),
        allow_sessionless=allow_sessionless,
        half_open=(max_half_open, handshake_seconds),
        on_event=on_event,
    )


class Guard:
    """A guarded server."""

    def __init__(
        self,
        server: Any,
        features: Features,
        policy: VersionPolicy,
        unknown: UnknownVersions,
        promises: Promises,
        *,
        allow_sessionless: bool,
        half_open: tuple[int, float],
        on_event: Listener | None,
    ) -> None:
        """See `guard`."""
        lowlevel = lowlevel_of(server)
        seam = Seam.held_by("guard", lowlevel)
        self.server = server
        self._features = features
        self._trail = trail = Trail(lowlevel.name, on_event)
        self._catalogue = catalogue = Catalogue(server, seam)
        most, seconds = half_open
        self._sessions = Sessions(most=most, seconds=seconds, on_dropped=self._dropped, on_ended=self._ended)
        granting, restriction = Granting(features, catalogue, trail), Restriction(catalogue, trail)
        self._declaration = Declaration(lowlevel, catalogue, promises, (granting, restriction), trail)
        # Before a message reaches the server, phases come first; on the way back, they come last.
        versions = Versions(policy, unknown, trail)
        seam.parts[:0] = [
            Phases(self._sessions, versions, trail, allow_sessionless=allow_sessionless),
            versions,
            Asking(trail),
            self._declaration,
            restriction,
            granting,
        ]
        catalogue.framework.attach(seam)
        _check_at_start(lowlevel, self.check, self._declaration.check)

    @property
    def half_open(self) -> int:
        """How many sessions have not finished their handshake."""
        return self._sessions.half_open

    async def check(self) -> None:
        """Check the declaration, as happens when the server starts.

        Raises:
            DeclarationError: it names the capability without a handler, or the feature without its tool.
        """
        self._declaration.check()
        # The lists of a low-level server are handlers, which want to know who asks.
        if self._features and not isinstance(self._catalogue.framework, LowlevelFramework):
            await self._check_features()

    async def _check_features(self) -> None:
        for kind in Kind:
            gated = self._features.gated[kind]
            if not gated:
                continue
            known = await self._catalogue.names(kind)
            for name in sorted(gated.keys() - known):
                feature = min(gated[name])
                raise DeclarationError(
                    f"the feature {feature!r} has the {kind} {name!r}, which the server does not have",
                    hint="features name what is registered; templates go by their URI template",
                )

    def _dropped(self, session: Session, why: str, number: int) -> None:
        self._trail.tell(event("half_open_dropped", Severity.MODERATE, detail=why), session, number=number)

    def _ended(self, session: Session) -> None:
        self._trail.tell(event("session_ended", Severity.INFO), session)


def _check_at_start(lowlevel: SdkServer, check: Any, check_declared: Callable[[Any], None]) -> None:
    """Check when the server starts, before anybody can connect: then everything is registered.

    Inside the author's own start-up code, which may connect what some of the capabilities come from.
    """
    lifespan, run = lowlevel.lifespan, lowlevel.run

    @asynccontextmanager
    async def checked_lifespan(server: SdkServer) -> AsyncIterator[Any]:
        async with lifespan(server) as state:
            await check()
            yield state

    async def checked_run(
        read: Any, write: Any, initialization_options: InitializationOptions, *arguments: Any, **options: Any
    ) -> None:
        # Over stdio an author may declare anything by hand.
        check_declared(initialization_options.capabilities)
        await run(read, write, initialization_options, *arguments, **options)

    lowlevel.lifespan = checked_lifespan
    setattr(lowlevel, "run", checked_run)  # noqa: B010 - one object's own method


def _version(line: str, version: str | None) -> str | None:
    if version is None or version in KNOWN:
        return version
    raise DeclarationError(
        f"{line}={version!r} is no version of the protocol", hint=f"the versions are {', '.join(KNOWN)}"
    )


def _choice(words: Any, option: str, word: str) -> Any:
    try:
        return words(word)
    except ValueError:
        raise DeclarationError(
            f"{option}={word!r} is no choice", hint=f"choose one of {', '.join(words)}"
        ) from None
