"""The facts about a server that every format for people tells, in words that are safe to print."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from avow.core.canonical import JsonValue
from avow.core.capability import Capability, Kind
from avow.core.credentials import shown_target
from avow.core.drift.model import Drift
from avow.core.printable import printable
from avow.core.risk import Level, Risk, assess
from avow.core.snapshot import Era, Snapshot, Source
from avow.core.suspicion import suspicions
from avow.core.target import FileTarget, HttpTarget, PythonTarget, StdioTarget, Target
from avow.core.texts import texts

TITLES: Final = {
    Kind.TOOL: "Tools",
    Kind.PROMPT: "Prompts",
    Kind.RESOURCE: "Resources",
    Kind.TEMPLATE: "Resource templates",
}
LEVELS: Final = (Level.HIGH, Level.MEDIUM, Level.LOW)
_ERAS: Final = {Era.LEGACY: "initialize handshake", Era.MODERN: "stateless"}
_PARAMETERS: Final = (("environmentVariables", "variable"), ("arguments", "argument"), ("other", "other"))


@dataclass(frozen=True, slots=True)
class Parameter:
    """One thing a server wants to be configured with."""

    name: str
    kind: str
    need: str
    description: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Suspicious text: where it is, what it is a sign of, and the evidence."""

    where: str
    sign: str
    evidence: str


def one_line(text: str, limit: int | None = None) -> str:
    """Text from a server, safe to print and on one line."""
    return printable(text, limit, fold=True)


def identity(snapshot: Snapshot) -> list[tuple[str, str]]:
    """Who the server is and how it speaks, as pairs of a label and a value."""
    facts = [
        ("target", target_words(snapshot.target)),
        ("protocol", f"{one_line(snapshot.protocol_version, 40)}, {_ERAS[snapshot.era]}"),
        ("declares", ", ".join(one_line(member, 40) for member in sorted(snapshot.capabilities))),
        ("signature", _source_words(snapshot)),
        ("digest", str(snapshot.signature.digest)),
    ]
    return [(label, value) for label, value in facts if value]


def server_words(snapshot: Snapshot) -> str:
    """The name and the version that the server gives itself."""
    name = one_line(snapshot.name, 80) or "a server without a name"
    version = snapshot.server.get("version")
    return f"{name} {one_line(version, 40)}" if isinstance(version, str) else name


def target_words(target: Target) -> str:
    """A target as one would type it, without credentials."""
    match shown_target(target):
        case StdioTarget(command=command, args=args):
            return one_line(shlex.join((command, *args)))
        case HttpTarget(url=url):
            return one_line(url)
        case PythonTarget(reference=reference):
            return one_line(reference)
        case FileTarget(path=path):
            return one_line(path)


def rated(capabilities: Mapping[str, Capability]) -> list[tuple[Capability, Risk]]:
    """Each capability with its risk, the riskiest first, then by name."""
    pairs = [(capability, assess(capability)) for capability in capabilities.values()]
    return sorted(pairs, key=lambda pair: (LEVELS.index(pair[1].level), pair[0].name))


def reason(risk: Risk) -> str:
    """The reason that counts most."""
    return one_line(risk.reasons[0], 160) if risk.reasons else ""


def about(capability: Capability) -> str:
    """What a capability says about itself, in short."""
    for member in ("title", "description", "name"):
        value = capability.definition.get(member)
        if isinstance(value, str) and value and value != capability.name:
            return one_line(value, 100)
    return ""


def introduction(drift: Drift, snapshot: Snapshot | None) -> list[str]:
    """What to know about a new capability: why it is as risky as it is, and what it says of itself."""
    if snapshot is None or not drift.type.endswith("_added") or drift.kind not in list(Kind):
        return []
    capability = snapshot.signature.of_kind(Kind(drift.kind)).get(drift.name)
    if capability is None:
        return []
    why = reason(assess(capability)) if capability.kind is Kind.TOOL else ""
    text = capability.definition.get("description")
    said = f"“{one_line(text, 240)}”" if isinstance(text, str) and text else ""
    return [words for words in (why, said) if words]


def findings(snapshot: Snapshot) -> list[Finding]:
    """Every sign of suspicious text, each once."""
    return list(dict.fromkeys(_findings(snapshot)))


def parameters(schema: JsonValue) -> Iterator[Parameter]:
    """What a configuration schema asks for; an entry of another shape is passed over here."""
    members = schema if isinstance(schema, dict) else {}
    for member, kind in _PARAMETERS:
        entries = members.get(member)
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("name"), str):
                need = "required" if entry.get("required") is True else "optional"
                secret = ", secret" if entry.get("sensitive") is True else ""
                text = entry.get("description")
                described = one_line(text, 120) if isinstance(text, str) else ""
                yield Parameter(one_line(entry["name"], 48), kind, need + secret, described)


def _source_words(snapshot: Snapshot) -> str:
    where = "declared by the server" if snapshot.source is Source.DECLARED else "taken from its lists"
    return where if snapshot.complete else f"{where}, incomplete"


def _findings(snapshot: Snapshot) -> Iterator[Finding]:
    for capability in snapshot.signature:
        where = f"{capability.kind} {one_line(capability.name, 80)}"
        for text in texts(capability.definition):
            for found in suspicions(text):
                yield Finding(where, found.sign, one_line(found.evidence, 160))
    for found in suspicions(snapshot.instructions or ""):
        yield Finding("instructions", found.sign, one_line(found.evidence, 160))
