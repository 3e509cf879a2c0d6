"""What an endpoint is: a method, a path, what it takes and answers, told once for routing and for OpenAPI."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from avow.core.canonical import JsonObject, JsonValue
from avow.registry.api.access import NOBODY, Caller
from avow.registry.model import Role
from avow.registry.service import Service

JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One value in the query or, when it is part of the path, there; `schema` says what it can be."""

    name: str
    schema: JsonObject
    description: str
    required: bool = False
    in_path: bool = False


@dataclass(frozen=True, slots=True)
class Body:
    """What a request carries; `limit` is the bound of its size, and one `is_raw` that its handler reads."""

    schema: JsonObject
    content_types: tuple[str, ...] = (JSON,)
    limit: Literal["document_bytes", "signature_bytes", "envelope_bytes"] = "document_bytes"
    is_raw: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What to answer: a document, or bytes of another kind; `tag` is a digest that stands for the content."""

    content: JsonValue | bytes
    status: int = 200
    content_type: str = JSON
    tag: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Call:
    """One request, after it was let in and found to be well formed.

    `document` is the body as JSON, and `body` its very bytes.
    """

    service: Service
    caller: Caller = NOBODY
    arguments: Mapping[str, Any] = field(default_factory=dict)
    document: Any = None
    body: bytes = field(default=b"", repr=False)


Handler: TypeAlias = Callable[[Call], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One thing that can be asked or done.

    `role` is None for what everybody may read unless the registry is private, and `is_always_public` what
    everybody may even then. One that `is_strict` refuses parameters it does not know.
    """

    method: str
    path: str
    summary: str
    handler: Handler
    answer: JsonObject
    role: Role | None = None
    parameters: Sequence[Parameter] = ()
    body: Body | None = None
    statuses: tuple[int, ...] = (200,)
    is_strict: bool = True
    is_always_public: bool = False
    answer_type: str = JSON

    @property
    def identifier(self) -> str:
        """A word for it, used by OpenAPI."""
        words = self.path.replace("{", "").replace("}", "").replace(".", "_").split("/")
        return "_".join([self.method.lower(), *filter(None, words)])


def path_parameter(name: str, schema: JsonObject, description: str) -> Parameter:
    """A part of the path."""
    return Parameter(name, schema, description, required=True, in_path=True)
