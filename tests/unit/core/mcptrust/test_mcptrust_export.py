"""Writing version 3: whole documents, compared to the byte."""

import hashlib
import json

import pytest

from avow.core.artifact import Artifact
from avow.core.capability import Capability, Kind, Signature
from avow.core.mcptrust import dumps_mcptrust
from avow.core.snapshot import Era, Snapshot
from avow.core.target import StdioTarget
from avow.errors import UsageError


def snapshot(*capabilities: Capability) -> Snapshot:
    return Snapshot(
        StdioTarget("demo"), {"name": "R&D"}, "2025-11-25", Era.LEGACY, {}, Signature.of(capabilities)
    )


def written(seen: Snapshot, artifact: Artifact | None = None) -> str:
    return dumps_mcptrust(seen, artifact, generator="avow test", updated_at="2026-01-01T00:00:00Z").decode()


def sha256(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def test_a_document_is_what_mcptrust_would_have_written() -> None:
    """Hashes over texts that are spelled out here, so that nothing of ours computes the expectation."""
    seen = snapshot(
        Capability.read(Kind.TOOL, {"name": "t2"}),
        Capability.read(
            Kind.TOOL, {"name": "t1", "description": "Run <it>.", "inputSchema": {"b": 1.0, "a": "<&>"}}
        ),
        Capability.read(
            Kind.PROMPT,
            {
                "name": "p",
                "description": "One \r\ntwo\t",
                "arguments": [
                    {"name": "z", "required": True},
                    {"name": "a", "description": "<", "required": False},
                ],
            },
        ),
        Capability.read(Kind.PROMPT, {"name": "q"}),
        Capability.read(Kind.TEMPLATE, {"uriTemplate": "db://{id}", "name": "n", "mimeType": "text/plain"}),
        Capability.read(Kind.TEMPLATE, {"uriTemplate": "a://{id}", "description": "d"}),
    )
    expected = {
        "lockFileVersion": "3.0",
        "meta": {"generator": "avow test", "updatedAt": "2026-01-01T00:00:00Z"},
        "server": {"name": "R&D"},
        "prompts": {
            "definitions": {
                "p": {
                    "argumentsHash": sha256('[{"description":"<","name":"a"},{"name":"z","required":true}]'),
                    "descriptionHash": sha256("One\ntwo"),
                },
                "q": {"argumentsHash": sha256("[]")},
            }
        },
        "resources": {
            "templates": [
                {
                    "uriTemplate": "a://{id}",
                    "templateHash": sha256('{"uriTemplate":"a://{id}"}'),
                    "descriptionHash": sha256("d"),
                },
                {
                    "uriTemplate": "db://{id}",
                    "templateHash": sha256('{"mimeType":"text/plain","uriTemplate":"db://{id}"}'),
                    "nameHash": sha256("n"),
                    "mimeType": "text/plain",
                },
            ]
        },
        "tools": {
            "t1": {
                "description_hash": sha256("Run <it>."),
                "input_schema_hash": sha256('{"a":"\\u003c\\u0026\\u003e","b":1}'),
                "risk_level": "MEDIUM",
            },
            "t2": {"description_hash": sha256(""), "input_schema_hash": "", "risk_level": "LOW"},
        },
    }

    assert written(seen) == json.dumps(expected, indent=2).replace("R&D", "R\\u0026D") + "\n"


def test_a_package_of_npm_is_pinned_and_no_other() -> None:
    npm = Artifact("npm", "demo", "1.0.0")

    assert json.loads(written(snapshot(), npm))["server"]["artifact"] == {
        "type": "npm",
        "name": "demo",
        "version": "1.0.0",
    }
    assert "artifact" not in json.loads(written(snapshot(), Artifact("pypi", "demo", "1.0.0")))["server"]


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("send_email", "LOW"),
        ("format_information", "MEDIUM"),
        ("execute", "HIGH"),
        ("terminal", "HIGH"),
    ],
)
def test_risk_follows_the_rule_of_mcptrust_not_ours(text: str, level: str) -> None:
    document = json.loads(written(snapshot(Capability.read(Kind.TOOL, {"name": text}))))

    assert document["tools"][text]["risk_level"] == level


def test_a_definition_that_it_cannot_hold_is_not_exported() -> None:
    with pytest.raises(UsageError, match="tool 'odd'"):
        written(snapshot(Capability.read(Kind.TOOL, {"name": "odd", "inputSchema": True})))
