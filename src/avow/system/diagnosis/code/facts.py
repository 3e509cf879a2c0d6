"""From what was seen while a program was followed to what is told about it."""

import re
from collections.abc import Iterator
from typing import Final

from avow.core.configuration.model import (
    Binding,
    Group,
    GroupRule,
    Origin,
    Parameter,
    PathKind,
    Source,
    Style,
    ValueType,
    Where,
)
from avow.core.credentials import is_credential_name
from avow.system.diagnosis.code.ledger import CERTAIN, GUESSED, HANDED, LIKELY, Demand, Ledger, Seen
from avow.system.diagnosis.code.model import CodeFact, CodeFacts, CodeGroup, Need

_NOISE: Final = frozenset(
    {"NODE_ENV", "DEBUG", "CI", "FORCE_COLOR", "NO_COLOR", "LOG_LEVEL", "NODE_DEBUG", "TERM", "COLORTERM"}
    | {
        "APPDATA",
        "LOCALAPPDATA",
        "USERPROFILE",
        "HOMEPATH",
        "HOMEDRIVE",
        "COMSPEC",
        "SYSTEMROOT",
        "TEMP",
        "TMP",
    }
    | {
        "NODE_OPTIONS",
        "NODE_PATH",
        "NODE_TLS_REJECT_UNAUTHORIZED",
        "NODE_EXTRA_CA_CERTS",
        "VITEST",
        "NODE_V8_COVERAGE",
    }
    | {
        "JEST_WORKER_ID",
        "PYTEST_CURRENT_TEST",
        "PYTHONPATH",
        "VIRTUAL_ENV",
        "SSL_CERT_FILE",
        "EDITOR",
        "VISUAL",
    }
)
_NOISY: Final = ("npm_", "NPM_", "XDG_", "VSCODE_", "GITHUB_ACTION", "__", "WS_NO_", "NODE_DISABLE_")
_NOISY_ENDS: Final = ("_PROXY", "_proxy")
_PLACEHOLDER: Final = re.compile(r"[<\[]([A-Za-z][A-Za-z0-9 _/:.-]{0,60}?)(?:\.\.\.)?[>\]]")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PATHS: Final = frozenset(
    {"path", "dir", "directory", "folder", "file", "root", "vault", "filename", "filepath"}
)
_ADDRESSES: Final = frozenset({"url", "uri", "endpoint", "baseurl", "host"})
_NUMBERS: Final = frozenset({"port", "timeout", "limit", "count", "size", "ms", "seconds", "retries"})
_COMPANIONS: Final = frozenset(
    {"ID", "URL", "URI", "HOST", "HOSTS", "USERNAME", "USER", "EMAIL", "ACCOUNT", "DOMAIN", "ENDPOINT", "SID"}
    | {"REGION", "ORG", "ORGANIZATION", "PROJECT", "WORKSPACE", "SITE", "SUBDOMAIN", "DATABASE", "LOGIN"}
)
_SWITCHES: Final = frozenset({"enable", "enabled", "disable", "disabled", "verbose", "debug", "insecure"})


def facts_of(ledger: Ledger, *, serves: bool) -> CodeFacts:
    """Everything that is told about a program."""
    demands = [_without_noise(demand, ledger) for demand in ledger.demands]
    demands = [demand for demand in demands if demand.ways]
    for demand in demands:
        for key in (key for way in (*demand.ways, *demand.path) for key in way):
            if key in ledger.counted:
                ledger.seen.setdefault(key, ledger.counted[key])
    _name_positionals(ledger)
    facts = [_fact(entry, demands, ledger) for entry in ledger.seen.values() if not _is_noise(entry)]
    groups = tuple(_groups(demands))
    return CodeFacts(tuple(facts), groups, tuple(ledger.notes), serves)


def _is_noise(entry: Seen) -> bool:
    if entry.where is not Where.ENV:
        return False
    return entry.name in _NOISE or entry.name.startswith(_NOISY) or entry.name.endswith(_NOISY_ENDS)


def _without_noise(demand: Demand, ledger: Ledger) -> Demand:
    noise = {key for key, entry in ledger.seen.items() if _is_noise(entry)}
    demand.ways = tuple(way for way in demand.ways if not way & noise)
    demand.path = tuple(way for way in demand.path if not way & noise)
    return demand


def _name_positionals(ledger: Ledger) -> None:
    """Give words of the command line the names that the program's usage or its variables give them."""
    placeholders = [name for usage in ledger.usages for name in _PLACEHOLDER.findall(usage)]
    for entry in ledger.seen.values():
        if entry.where is not Where.ARGUMENT or entry.style is not Style.POSITIONAL:
            continue
        words = ledger.compared.get(entry.key, [])
        if words:
            entry.fixed = ledger.chosen(entry.key) or words[0]
            entry.choices = entry.choices or tuple(words)
            entry.name = entry.fixed
        elif entry.key.startswith("<argument "):
            fixed = sum(
                1
                for each in ledger.seen.values()
                if each.order < entry.order and ledger.compared.get(each.key)
            )
            number = entry.order - fixed
            if number < len(placeholders):
                entry.name = f"<{placeholders[number]}>"
            elif entry.names:
                entry.name = f"<{entry.names[0]}>"


def _fact(entry: Seen, demands: list[Demand], ledger: Ledger) -> CodeFact:
    need, confidence, reason = _need(entry, demands, ledger)
    kind = _type(entry)
    is_path = kind is ValueType.PATH
    words = {word.lower() for word in _WORD.findall(entry.name)}
    parameter = Parameter(
        entry.key,
        Binding(entry.where, entry.name, entry.style, order=entry.order),
        kind,
        description=entry.description,
        required=need is Need.START,
        secret=is_credential_name(entry.name) and entry.fixed is None and not entry.switch,
        default=entry.default,
        fixed=entry.fixed,
        choices=entry.choices,
        multiple=entry.multiple,
        path_kind=PathKind.DIRECTORY if is_path and words & {"dir", "directory", "folder"} else PathKind.ANY,
        source=Source(Origin.CODE, "python" if ".py:" in entry.place else "javascript", entry.place),
    )
    return CodeFact(parameter, need, confidence, reason)


def _need(entry: Seen, demands: list[Demand], ledger: Ledger) -> tuple[Need, float, str]:
    mine = [demand for demand in demands if any(entry.key in way for way in (*demand.ways, *demand.path))]
    for demand in sorted(mine, key=lambda each: (not each.at_start, -each.confidence)):
        confidence = demand.confidence
        if not any(entry.key in way for way in demand.ways):
            confidence = min(confidence, LIKELY)
        return (Need.START if demand.at_start else Need.CALL), confidence, demand.reason
    if entry.has_default or entry.switch:
        return Need.OPTIONAL, CERTAIN, "there is a default"
    if entry.key in ledger.tolerated:
        return Need.CALL, LIKELY, "something fails without it, and the program goes on"
    if entry.where is Where.ENV and is_credential_name(entry.name) and entry.key in ledger.handed:
        return Need.CALL, HANDED, "a library is given it at start, and nothing looks whether it is there"
    if entry.where is Where.ENV and is_credential_name(entry.name):
        return Need.CALL, LIKELY if entry.at_start else GUESSED, "a credential without a default"
    if entry.where is Where.ENV and _goes_with_a_credential(entry, ledger):
        return Need.CALL, GUESSED, "it goes with a credential"
    return Need.OPTIONAL, GUESSED, "nothing is known to fail without it"


def _goes_with_a_credential(entry: Seen, ledger: Ledger) -> bool:
    """Whether a variable names whose or where a credential of the same service is."""
    first, *others = entry.name.split("_")
    if not others or others[-1] not in _COMPANIONS:
        return False
    same = [each for each in ledger.seen.values() if each.where is Where.ENV and not each.has_default]
    return any(each.name.startswith(f"{first}_") and is_credential_name(each.name) for each in same)


def _type(entry: Seen) -> ValueType:
    if entry.type is not None:
        return entry.type
    if entry.switch:
        return ValueType.BOOLEAN
    if entry.fixed is None and entry.choices:
        return ValueType.ENUM
    words = [word.lower() for word in _WORD.findall(entry.name)]
    for meaning, kind in (
        (_PATHS, ValueType.PATH),
        (_ADDRESSES, ValueType.URL),
        (_NUMBERS, ValueType.NUMBER),
    ):
        if words and words[-1] in meaning:
            return kind
    is_switch = bool(words) and (words[0] in _SWITCHES or words[-1] in _SWITCHES)
    return ValueType.BOOLEAN if is_switch else ValueType.STRING


def _groups(demands: list[Demand]) -> Iterator[CodeGroup]:
    """Demands that can be met in several ways; those with the same way around them belong together."""
    around: dict[tuple[bool, tuple[frozenset[str], ...]], list[Demand]] = {}
    for demand in demands:
        if demand.path and len(demand.ways) == 1:
            around.setdefault((demand.at_start, demand.path), []).append(demand)
        elif len(demand.ways) + len(demand.path) > 1:
            yield _group((*demand.ways, *demand.path), demand)
    for (_, path), members in around.items():
        together = frozenset().union(*(way for demand in members for way in demand.ways))
        yield _group((together, *path), members[0])


def _group(ways: tuple[frozenset[str], ...], demand: Demand) -> CodeGroup:
    sorted_ways = tuple(dict.fromkeys(tuple(sorted(way)) for way in ways))
    need = Need.START if demand.at_start else Need.CALL
    return CodeGroup(Group(GroupRule.ANY_OF, sorted_ways), need, demand.confidence, demand.place)
