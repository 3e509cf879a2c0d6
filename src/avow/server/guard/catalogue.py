"""What a server offers: everything that its framework knows, whoever asks."""

from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel

from avow.core.canonical import JsonObject
from avow.core.capability import Kind
from avow.server.declared import framework_of
from avow.server.enforcing import Enforcement
from avow.server.seam import Request, Seam

if TYPE_CHECKING:
    from avow.server.frameworks import Framework

HOLDERS: Final = {
    Kind.TOOL: "tools",
    Kind.PROMPT: "prompts",
    Kind.RESOURCE: "resources",
    Kind.TEMPLATE: "resources",
}
"""The server capability that stands for a kind."""
MOST_KNOWN: Final = 10_000
"""How many names are remembered: a server may make them up."""
NOBODY: Final[Any] = None
"""In place of a request, for frameworks whose definitions do not depend on who asks."""


class Catalogue:
    """Looks at one server through its framework, and at what `declare` has said about it."""

    def __init__(self, server: Any, seam: Seam) -> None:
        """Look at this server."""
        self.framework: Framework = framework_of(server)
        self._seam = seam
        self._known: dict[Kind, set[str]] = {kind: set() for kind in Kind}

    @property
    def declaration(self) -> Enforcement | None:
        """What holds the server to its signature, if it was declared."""
        return next((part for part in self._seam.parts if isinstance(part, Enforcement)), None)

    async def definitions(self, kind: Kind, request: Request) -> list[JsonObject]:
        """Everything of a kind that somebody could be shown, as it would stand in a list."""
        models = await self.framework.definitions(kind, request)
        return [model.model_dump(by_alias=True, mode="json", exclude_none=True) for model in models]

    async def find(self, kind: Kind, name: str, request: Request) -> JsonObject | None:
        """One capability; `None` when there is none of that name."""
        listed = await self.definitions(kind, request)
        return next((one for one in listed if one.get(kind.identifier) == name), None)

    async def called_tool(self, name: str, request: Request) -> JsonObject | None:
        """The tool that a call would run; `None` when there is none."""
        model = await self.framework.called_tool(name, request)
        return None if model is None else model.model_dump(by_alias=True, mode="json", exclude_none=True)

    async def knows(self, kind: Kind, name: str, request: Request) -> bool:
        """Whether a tool or prompt goes by this name; looked up once, since most calls are of a few."""
        known = self._known[kind]
        if name in known:
            return True
        found = await self.framework.knows(kind, name, request)
        if found and len(known) < MOST_KNOWN:
            known.add(name)
        return found

    async def names(self, kind: Kind) -> frozenset[str]:
        """The names of a kind before anybody asks; only where the framework keeps a registry."""
        models = await self.framework.definitions(kind, NOBODY)
        return frozenset(_named(kind, model) for model in models)


def _named(kind: Kind, model: BaseModel) -> str:
    return str(model.model_dump(by_alias=True, mode="json")[kind.identifier])
