"""What was negotiated: versions, capabilities, extensions, configuration."""

from typing import Any

import pytest

from avow.core.drift.compare import diff
from avow.core.drift.model import Drift
from avow.core.snapshot import Era
from small_server import snapshot


def _one(before: Any, after: Any) -> Drift:
    (drift,) = diff(before, after)
    return drift


DOWNGRADES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "agreed version": ({}, {"protocol_version": "2024-11-05"}),
    "version that is no date": ({}, {"protocol_version": "draft"}),
    "era": ({"era": Era.MODERN}, {"era": Era.LEGACY}),
    "newest version": (
        {"protocol_versions": ("2025-11-25", "2026-07-28")},
        {"protocol_versions": ("2025-11-25",)},
    ),
}


@pytest.mark.parametrize("name", DOWNGRADES)
def test_a_downgrade_is_critical(name: str) -> None:
    before, after = DOWNGRADES[name]

    drift = _one(snapshot(**before), snapshot(**after))

    assert (drift.type, drift.severity) == ("protocol_downgraded", "critical")


def test_a_downgrade_says_from_what_to_what() -> None:
    drift = _one(snapshot(), snapshot(protocol_version="2024-11-05"))

    assert drift.summary == "agreed on protocol version 2024-11-05; 2025-11-25 was approved"


def test_an_upgrade_is_worth_a_word() -> None:
    drift = _one(snapshot(), snapshot(protocol_version="2026-07-28", era=Era.MODERN))

    assert (drift.type, drift.severity) == ("capabilities_changed", "info")
    assert drift.summary == "now speaks 2026-07-28"


def test_an_older_version_beside_the_new_one_opens_a_way_back() -> None:
    before = snapshot(protocol_versions=("2025-11-25",))

    older = _one(before, snapshot(protocol_versions=("2024-11-05", "2025-11-25")))
    newer = _one(before, snapshot(protocol_versions=("2025-11-25", "2026-07-28")))
    fewer = _one(snapshot(protocol_versions=("2025-06-18", "2025-11-25")), before)

    assert (older.severity, older.summary) == ("moderate", "now also speaks the older 2024-11-05")
    assert (newer.severity, newer.summary) == ("info", "supports other versions")
    assert fewer.severity == "info"


CAPABILITIES = {
    "more": ({"tools": {}}, {"tools": {}, "logging": {}}, "moderate", "now declares logging"),
    "less": ({"tools": {}, "logging": {}}, {"tools": {}}, "info", "no longer declares logging"),
    "more inside": (
        {"tools": {}},
        {"tools": {"listChanged": True}},
        "moderate",
        "now declares tools/listChanged",
    ),
    "switched on": (
        {"tools": {"listChanged": False}},
        {"tools": {"listChanged": True}},
        "moderate",
        "now declares tools/listChanged",
    ),
    "switched off": (
        {"tools": {"listChanged": True}},
        {"tools": {"listChanged": False}},
        "info",
        "no longer declares tools/listChanged",
    ),
    "both": (
        {"logging": {}},
        {"completions": {}},
        "moderate",
        "now declares completions, and 1 smaller change",
    ),
    "another value": ({"x": 1}, {"x": True}, "moderate", "now declares x"),
    "another number": ({"x": 1}, {"x": 2}, "moderate", "declares another x"),
    "extension": (
        {"extensions": {}},
        {"extensions": {"com.example/x": {}}},
        "moderate",
        "now declares extensions/com.example/x",
    ),
    "signature": (
        {"signature": {"digest": "sha256:a"}},
        {"signature": {"digest": "sha256:b"}},
        "info",
        "the declared digest follows the signature",
    ),
}


@pytest.mark.parametrize("name", CAPABILITIES)
def test_capabilities_that_differ(name: str) -> None:
    before, after, severity, summary = CAPABILITIES[name]

    drift = _one(snapshot(capabilities=before), snapshot(capabilities=after))

    assert (drift.type, drift.severity, drift.summary) == ("capabilities_changed", severity, summary)
    assert all(change.path.startswith("/capabilities/") for change in drift.changes)


def test_capabilities_without_a_bottom_are_compared_as_far_as_is_sensible() -> None:
    before: Any = 1
    after: Any = 2
    for _ in range(100):
        before, after = {"x": before}, {"x": after}

    assert _one(snapshot(capabilities=before), snapshot(capabilities=after)).severity == "moderate"


TOKEN = {"name": "TOKEN", "description": "A token", "type": "string", "required": True}
CONFIGURATIONS = {
    "more required": (None, {"environmentVariables": [TOKEN]}, "moderate", "now requires TOKEN"),
    "optional": (
        None,
        {"environmentVariables": [{**TOKEN, "name": "LEVEL", "required": False}]},
        "safe",
        "the configuration schema was added",
    ),
    "less required": ({"environmentVariables": [TOKEN]}, {}, "safe", "the configuration schema was changed"),
    "gone": ({"environmentVariables": [TOKEN]}, None, "safe", "the configuration schema was removed"),
    "not a schema": (
        None,
        [TOKEN],
        "moderate",
        "the configuration schema is not what the specification says it is",
    ),
    "not parameters": (
        None,
        {"arguments": ["x"], "other": 5},
        "moderate",
        "the configuration schema is not what the specification says it is",
    ),
    "now required": (
        {"arguments": [{**TOKEN, "required": False}]},
        {"arguments": [TOKEN]},
        "moderate",
        "now requires TOKEN",
    ),
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_configuration_schema_that_differs(name: str) -> None:
    before, after, severity, summary = CONFIGURATIONS[name]

    drift = _one(snapshot(configuration_schema=before), snapshot(configuration_schema=after))

    assert (drift.type, drift.severity, drift.summary) == ("configuration_changed", severity, summary)


def test_a_configuration_schema_repeated_in_the_capabilities_is_told_once() -> None:
    """The three places that carry it say the same; a copy that says something else is a capability."""

    def server(schema: Any, copy: Any) -> Any:
        capabilities = {
            "extensions": {"dev.avow/configuration": copy},
            "experimental": {"configurationSchema": copy},
        }
        return snapshot(configuration_schema=schema, capabilities=capabilities)

    old: dict[str, Any] = {"arguments": []}
    new: dict[str, Any] = {"arguments": [], "other": []}

    assert [drift.type for drift in diff(server(old, old), server(new, new))] == ["configuration_changed"]
    assert "capabilities_changed" in [drift.type for drift in diff(server(old, old), server(old, new))]
