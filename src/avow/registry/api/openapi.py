"""The API described for machines: OpenAPI 3.1, made from the same endpoints that are routed."""

from collections.abc import Iterable
from typing import Final

import avow
from avow.core.canonical import JsonObject
from avow.registry.api.endpoints import Endpoint
from avow.registry.api.problems import CONTENT_TYPE
from avow.registry.api.schemas import COMPONENTS, reference

_PROBLEM: Final = {
    "description": "Why it was refused, and what to do next.",
    "content": {CONTENT_TYPE: {"schema": reference("Problem")}},
}
_ETAG: Final = {"ETag": {"description": "Stands for the content.", "schema": {"type": "string"}}}


def document(endpoints: Iterable[Endpoint], *, private: bool, url: str = "") -> JsonObject:
    """The whole description."""
    paths: dict[str, JsonObject] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, private=private)
    described: JsonObject = {
        "openapi": "3.1.0",
        "info": {
            "title": "Avow registry",
            "version": avow.__version__,
            "summary": "What MCP servers have published, how it changed, who approved it, and the proof.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": paths,
        "components": {
            "schemas": COMPONENTS,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
    return {**described, "servers": [{"url": url}]} if url else described


def _operation(endpoint: Endpoint, *, private: bool) -> JsonObject:
    good = {
        "description": endpoint.summary,
        "content": {endpoint.answer_type: {"schema": endpoint.answer}},
    }
    if endpoint.method == "GET":
        good["headers"] = _ETAG
    responses: JsonObject = {str(status): good for status in endpoint.statuses}
    if endpoint.method == "GET":
        responses["304"] = {"description": "It is what If-None-Match says it was.", "headers": _ETAG}
    operation: JsonObject = {
        "operationId": endpoint.identifier,
        "summary": endpoint.summary,
        "parameters": [
            {
                "name": each.name,
                "in": "path" if each.in_path else "query",
                "required": each.required,
                "description": each.description,
                "schema": each.schema,
            }
            for each in endpoint.parameters
        ],
        "responses": {**responses, "4XX": _PROBLEM, "5XX": _PROBLEM},
    }
    if endpoint.role is not None or private:
        operation["security"] = [{"token": []}]
        if endpoint.role is not None:
            operation["description"] = f"Needs a token with the role `{endpoint.role}`."
    if endpoint.body is not None:
        content = {kind: {"schema": endpoint.body.schema} for kind in endpoint.body.content_types}
        operation["requestBody"] = {"required": True, "content": content}
    return operation
