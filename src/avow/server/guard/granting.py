"""Feature grants: what is listed, called and declared only for those who may use it."""

from functools import partial
from typing import Final

from avow.core.canonical import JsonObject
from avow.core.capability import Kind
from avow.core.severity import Severity
from avow.protocol.events import event, shown
from avow.protocol.gate.refusal import Refusal
from avow.protocol.messages import INVALID_PARAMS
from avow.server.addresses import LONGEST
from avow.server.guard.catalogue import Catalogue
from avow.server.guard.features import Features
from avow.server.guard.identity import Evidence
from avow.server.guard.sessions import found_session
from avow.server.guard.trail import Trail
from avow.server.seam import HANDSHAKES, Part, Request, check_updates

_LISTS: Final = {kind.list_method: kind for kind in Kind}
_CALLS: Final = frozenset(
    {
        "completion/complete",
        "prompts/get",
        "resources/read",
        "resources/subscribe",
        "subscriptions/listen",
        "tools/call",
        "tools/resolve",
    }
)


class Granting(Part):
    """Holds every message to the grants of whoever sent it."""

    minds_nested = True

    def __init__(self, features: Features, catalogue: Catalogue, trail: Trail) -> None:
        """Ask `features` who may do what."""
        self.before_methods = _CALLS if features else frozenset()
        self.after_methods = HANDSHAKES | _LISTS.keys() if features else frozenset()
        self._features = features
        self._catalogue = catalogue
        self._trail = trail

    @property
    def flags(self) -> frozenset[str]:
        """The experimental capabilities that depend on a grant, and the names of the features."""
        return self._features.flags

    async def before(self, request: Request) -> None:
        """Refuse the use of what belongs to a feature that was not granted."""
        params = request.params
        match request.method:
            case "tools/call" | "tools/resolve":
                await self._admit(request, Kind.TOOL, params.get("name"))
            case "prompts/get":
                await self._admit(request, Kind.PROMPT, params.get("name"))
            case "resources/read":
                await self._admit_address(request, params.get("uri"))
            case "resources/subscribe":
                await self._admit_address(request, params.get("uri"))
                self._watch(request)
            case "completion/complete":
                await self._admit_completion(request, params.get("ref"))
            case "subscriptions/listen":
                wanted = params.get("notifications")
                uris = wanted.get("resourceSubscriptions") if isinstance(wanted, dict) else None
                for uri in uris if isinstance(uris, list) else ():
                    await self._admit_address(request, uri)
                self._watch(request)
            case _:
                pass

    async def after(self, request: Request, result: JsonObject) -> None:
        """Leave out what was not granted; what depends on who asks must not be handed on."""
        kind = _LISTS.get(request.method)
        if kind is None:
            await self._declare(request, result)
        else:
            result[kind.collection] = await self.visible(kind, result.get(kind.collection, []), request)
        if "cacheScope" in result:
            result["cacheScope"] = "private"

    async def visible(self, kind: Kind, definitions: list[JsonObject], request: Request) -> list[JsonObject]:
        """Those of some capabilities that the sender of a request may use."""
        gated = self._features.gated[kind]
        if not gated:
            return definitions
        granted = await self._features.granted(request)
        identifier = kind.identifier
        return [one for one in definitions if _is_open(gated.get(one.get(identifier, "")), granted)]

    async def _declare(self, request: Request, result: JsonObject) -> None:
        declared, hidden = self._features.experimental(await self._features.granted(request))
        capabilities = result["capabilities"] = dict(result.get("capabilities") or {})
        others = {
            name: value
            for name, value in (capabilities.get("experimental") or {}).items()
            if name not in hidden
        }
        capabilities["experimental"] = {**others, **declared}

    async def _admit(self, request: Request, kind: Kind, name: object) -> None:
        """Open is what goes by a name that no feature has: another name may lead to what one has."""
        gated = self._features.gated[kind]
        if not gated or not isinstance(name, str):
            return  # The SDK says what a name is.
        needed = gated.get(name)
        if needed is None:
            if not await self._catalogue.knows(kind, name, request):
                raise self._refused(request, kind, name, "unknown", f"there is no such {kind}")
        elif not needed & await self._features.granted(request):
            raise self._refused(request, kind, name)

    async def _admit_template(self, request: Request, template: object) -> None:
        needed = self._features.gated[Kind.TEMPLATE].get(template) if isinstance(template, str) else None
        if needed is not None and not needed & await self._features.granted(request):
            raise self._refused(request, Kind.TEMPLATE, str(template))

    async def _admit_address(self, request: Request, uri: object) -> None:
        """A resource is open when it says so itself, or when every template that could serve it is open."""
        if not isinstance(uri, str) or not self._has_addresses:
            return
        if len(uri) > LONGEST:
            raise self._refused(request, Kind.RESOURCE, uri, "unknown", "its URI is too long")
        needed = self._features.needed_for_address(uri, self._catalogue.framework.matches)
        if not needed:
            return
        granted = await self._features.granted(request)
        if not all(each & granted for each in needed) and not await self._is_itself_open(uri, request):
            raise self._refused(request, Kind.RESOURCE, uri)

    @property
    def _has_addresses(self) -> bool:
        gated = self._features.gated
        return bool(gated[Kind.RESOURCE] or gated[Kind.TEMPLATE])

    async def _is_itself_open(self, uri: str, request: Request) -> bool:
        is_closed = uri in self._features.gated[Kind.RESOURCE]
        return not is_closed and await self._catalogue.find(Kind.RESOURCE, uri, request) is not None

    def _watch(self, request: Request) -> None:
        """From here on, ask again before each update: a subscription may outlive its grant."""
        if self._has_addresses:
            check_updates(request, partial(self._may_hear, request, Evidence.of(request)))

    async def _may_hear(self, request: Request, evidence: Evidence, uri: object) -> bool:
        needed = self._features.needed_for_address(str(uri), self._catalogue.framework.matches)
        if not needed:
            return True
        granted = await self._features.granted_to(evidence)
        return all(each & granted for each in needed) or await self._is_itself_open(str(uri), request)

    async def _admit_completion(self, request: Request, reference: object) -> None:
        if not isinstance(reference, dict):
            return
        if reference.get("type") == "ref/prompt":
            await self._admit(request, Kind.PROMPT, reference.get("name"))
        else:
            await self._admit_template(request, reference.get("uri"))
            await self._admit_address(request, reference.get("uri"))

    def _refused(
        self,
        request: Request,
        kind: Kind,
        name: str,
        reason: str = "not_granted",
        detail: str = "the feature is not granted",
    ) -> Exception:
        happened = event("feature_refused", Severity.MODERATE, kind=kind, name=name, detail=detail)
        facts = {"reason": reason, "kind": str(kind), "name": shown(name)}
        message = f"avow: {kind} '{shown(name)}' is not available to you"
        refusal = Refusal(INVALID_PARAMS, message, happened, {"avow": facts})
        return self._trail.refuse(refusal, found_session(request), method=request.method)


def _is_open(needed: frozenset[str] | None, granted: frozenset[str]) -> bool:
    return needed is None or bool(needed & granted)
