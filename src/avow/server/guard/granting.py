"""Feature grants: what is listed, called and declared only for those who may use it."""

from typing import Final

from avow.core.canonical import JsonObject
from avow.core.capability import Kind
from avow.core.severity import Severity
from avow.protocol.events import event, shown
from avow.protocol.gate.refusal import Refusal
from avow.protocol.messages import INVALID_PARAMS
from avow.server.guard.catalogue import Catalogue
from avow.server.guard.features import Features
from avow.server.guard.sessions import session_of
from avow.server.guard.trail import Trail
from avow.server.seam import HANDSHAKES, Part, Request

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
            case "resources/read" | "resources/subscribe":
                await self._admit_address(request, params.get("uri"))
            case "completion/complete":
                await self._admit_completion(request, params.get("ref"))
            case "subscriptions/listen":
                wanted = params.get("notifications")
                uris = wanted.get("resourceSubscriptions") if isinstance(wanted, dict) else None
                for uri in uris if isinstance(uris, list) else ():
                    await self._admit_address(request, uri)
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
        needed = self._features.gated[kind].get(name) if isinstance(name, str) else None
        if needed is not None and not needed & await self._features.granted(request):
            raise self._refused(request, kind, str(name))

    async def _admit_address(self, request: Request, uri: object) -> None:
        """A resource is open when it says so itself, or when every template that could serve it is open."""
        if not isinstance(uri, str):
            return
        granted = await self._features.granted(request)
        needed = self._features.needed_for_address(uri)
        templates = [
            features
            for template, features in self._features.gated[Kind.TEMPLATE].items()
            if self._catalogue.framework.matches(template, uri)
        ]
        closed = (needed and not needed & granted) or any(not each & granted for each in templates)
        if not closed:
            return
        is_open = (
            uri not in self._features.gated[Kind.RESOURCE]
            and await self._catalogue.find(Kind.RESOURCE, uri, request) is not None
        )
        if not is_open:
            raise self._refused(request, Kind.RESOURCE, uri)

    async def _admit_completion(self, request: Request, reference: object) -> None:
        if not isinstance(reference, dict):
            return
        if reference.get("type") == "ref/prompt":
            await self._admit(request, Kind.PROMPT, reference.get("name"))
        else:
            await self._admit(request, Kind.TEMPLATE, reference.get("uri"))
            await self._admit_address(request, reference.get("uri"))

    def _refused(self, request: Request, kind: Kind, name: str) -> Exception:
        happened = event(
            "feature_refused", Severity.MODERATE, kind=kind, name=name, detail="the feature is not granted"
        )
        facts = {"reason": "not_granted", "kind": str(kind), "name": shown(name)}
        message = f"avow: {kind} '{shown(name)}' is not available to you"
        refusal = Refusal(INVALID_PARAMS, message, happened, {"avow": facts})
        return self._trail.refuse(refusal, session_of(request), method=request.method)


def _is_open(needed: frozenset[str] | None, granted: frozenset[str]) -> bool:
    return needed is None or bool(needed & granted)
