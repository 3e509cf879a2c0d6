"""What a server may ask of a client: only what the client said that it can do."""

from typing import Final

from avow.core.canonical import JsonObject, JsonValue
from avow.protocol.messages import refuse_variants

_ASKS: Final = {
    "sampling/createMessage": "sampling",
    "elicitation/create": "elicitation",
    "roots/list": "roots",
}
_DECIDED_ON: Final = frozenset({"mode", "tools", "toolChoice"})
ASKING_METHODS: Final = frozenset(_ASKS)


def missing_capability(method: str, params: JsonValue, declared: JsonObject) -> JsonObject | None:
    """The client capability that a request needs and the client did not declare; `None` when it did.

    Raises:
        MalformedInputError: some readers would find that it asks for more.
    """
    member = _ASKS.get(method)
    if member is None:
        return None
    capability = declared.get(member)
    if not isinstance(capability, dict):
        return {member: {}}
    details = params if isinstance(params, dict) else {}
    refuse_variants(details, _DECIDED_ON)
    match member:
        case "elicitation":
            return _missing_mode(details.get("mode", "form"), capability)
        case "sampling" if "tools" in details or "toolChoice" in details:
            return None if isinstance(capability.get("tools"), dict) else {"sampling": {"tools": {}}}
        case _:
            return None


def _missing_mode(mode: JsonValue, capability: JsonObject) -> JsonObject | None:
    """Elicitation without a mode declared stands for forms; any mode but these two is not defined."""
    if mode == "form" and ("form" in capability or "url" not in capability):
        return None
    if mode == "url" and isinstance(capability.get("url"), dict):
        return None
    return {"elicitation": {"url" if mode == "url" else "form": {}}}
