"""How often the diagnosis names what a server needs, and why it fails, on recordings of real servers.

    python benchmarks/diagnosis.py [CORPUS] [--packages] [--details]

CORPUS is a directory with `truth.json`, `calltime.json` and `runs/KEY.json`. Without `--packages` only the
recordings count; with it, the packages are installed once, outside of the repository, and their code is
read as well. A name is right when the truth asks for it or accepts it in the place of one that it asks for.
"""

import argparse
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from installed_packages import installed

from avow.core.configuration.model import Parameter, Where
from avow.system.diagnosis.diagnosing import diagnose
from avow.system.diagnosis.evidence import Evidence, Outcome
from avow.system.diagnosis.model import Diagnosis
from avow.system.diagnosis.naming import words_of

_OUTCOMES = {
    "ok": Outcome.OK,
    "exits_before_initialize": Outcome.EXITED,
    "initialize_error": Outcome.REFUSED,
    "http_instead_of_stdio": Outcome.HTTP,
    "init_ok_tools_list_fails": Outcome.NO_LISTS,
    "timeout": Outcome.SILENT,
}
_CAUSES = {
    "needs_configuration": "config",
    "broken_dependency": "dependency",
    "missing_service": "service",
    "wrong_transport": "transport",
    "not_found": "not_found",
}
_KINDS = {"env": Where.ENV, "arg": Where.ARGUMENT}


@dataclass
class Score:
    """What was counted so far."""

    configured: int = 0
    complete: int = 0
    named: int = 0
    wrong: int = 0
    causes: int = 0
    right: int = 0
    details: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The three figures."""
        return [
            _figure("every required name found", self.complete, self.configured, "at least 90 %"),
            _figure("named as required and wrong", self.wrong, self.named, "at most 10 %"),
            _figure("cause right", self.right, self.causes, "at least 90 %"),
        ]


def main() -> None:
    """Print the figures in the mode that was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", nargs="?", type=Path, default=Path("../shared/corpus"))
    parser.add_argument(
        "--packages", action="store_true", help="also read the code of the installed packages"
    )
    parser.add_argument("--details", action="store_true", help="name the servers that are not right")
    arguments = parser.parse_args()
    if not (arguments.corpus / "truth.json").is_file():
        sys.exit(f"there is no truth.json in {arguments.corpus}")
    score = measure(arguments.corpus, packages=arguments.packages)
    print("recordings and installed packages" if arguments.packages else "recordings only")
    print("\n".join([*score.lines(), *calltime(arguments.corpus, packages=arguments.packages, score=score)]))
    if arguments.details:
        print("\n".join(score.details))


def measure(corpus: Path, *, packages: bool) -> Score:
    """Diagnose every server of the truth."""
    score = Score()
    calls = read(corpus / "calltime.json") if (corpus / "calltime.json").is_file() else {}
    for key, truth in read(corpus / "truth.json").items():
        seen = diagnose_run(read(corpus / "runs" / f"{key}.json"), packages=packages)
        judge(score, key, truth, seen, calls.get(key, {}).get("env", ()))
    return score


def judge(score: Score, key: str, truth: Any, seen: Diagnosis, later: Any) -> None:
    """Count one server; what it needs `later`, at a call, is not wrong."""
    wanted = [need for need in truth["required"] if need["kind"] in _KINDS]
    accepted = dict(truth["alternatives"] or {})
    causes = truth["cause"].split("+")
    named = [one for one in seen.required if one.binding.where in _KINDS.values()]
    if "config" in causes:
        score.configured += 1
        missed = [need["name"] for need in wanted if not any(fits(need, one, accepted) for one in named)]
        score.complete += not missed
        if missed:
            score.details.append(f"  misses {missed}: {key}, names {[one.binding.name for one in named]}")
    extra = {word.strip("*") for text in later for word in text.split()}
    wrong = [
        one.binding.name
        for one in named
        if not any(fits(need, one, accepted) for need in wanted) and one.binding.name not in extra
    ]
    score.named += len(named)
    score.wrong += len(wrong)
    if wrong:
        score.details.append(f"  wrong {wrong}: {key}")
    cause = _CAUSES.get(seen.status, seen.status)
    score.causes += 1
    score.right += cause in causes or (cause == "service" and "network" in causes)
    if cause not in causes:
        score.details.append(f"  {cause} instead of {truth['cause']}: {key}, {seen.message}")


def fits(need: Any, named: Parameter, accepted: dict[str, list[str]]) -> bool:
    """Whether a parameter is the one that the truth asks for, or one that it accepts instead."""
    names = [named.binding.name, *named.aliases, *(also.name for also in named.also)]
    others = [
        need["name"],
        *(word for text in accepted.get(need["name"], ()) for word in text.replace("=", " ").split()),
    ]
    if any(name in others for name in names):
        return True
    if (
        need["name"].startswith("<")
        and named.binding.where is Where.ARGUMENT
        and not names[0].startswith("-")
    ):
        # A positional has no name of its own: any will do that shares a word, or is the only one.
        return True
    return any(
        words_of(name) == words_of(other) and _same_kind(name, other) for name in names for other in others
    )


def _same_kind(one: str, other: str) -> bool:
    return one.startswith("-") == other.startswith("-") and one.isupper() == other.isupper()


def calltime(corpus: Path, *, packages: bool, score: Score) -> list[str]:
    """Servers that fail only when a tool is called: how many of those are seen to need something."""
    if not (corpus / "calltime.json").is_file():
        return []
    found = total = right = named = fine = flagged = 0
    truth, calls = read(corpus / "truth.json"), read(corpus / "calltime.json")
    for path in sorted((corpus / "runs").glob("*.json")):
        if path.stem in truth or read(path)["outcome"] != "ok":
            continue
        seen = diagnose_run(read(path), packages=packages)
        names = {one.binding.name for one in seen.required}
        if path.stem in calls:
            expected = {word.strip("*") for text in calls[path.stem]["env"] for word in text.split()}
            total += 1
            found += bool(names & expected)
            named += len(names)
            right += len(names & expected)
            score.details.append(f"  call {sorted(expected)} found {sorted(names)}: {path.stem}")
        else:
            fine += 1
            flagged += seen.status != "ok"
            if seen.status != "ok":
                score.details.append(f"  works and is called {seen.status} {sorted(names)}: {path.stem}")
    return [
        _figure("needs it at a call, and is told", found, total, ""),
        _figure("of these names, right", right, named, ""),
        _figure("works as it is, and is doubted", flagged, fine, ""),
    ]


def diagnose_run(run: Any, *, packages: bool) -> Diagnosis:
    """The diagnosis of one recording."""
    facts = None
    if packages and (place := installed(run["ecosystem"], run["package"], run["version"])):
        from avow.system.diagnosis.code import read_package

        facts = read_package(place)
    return diagnose(evidence_of(run), facts=facts)


def evidence_of(run: Any) -> Evidence:
    """A recording as evidence."""
    lists = run.get("lists") or {}
    return Evidence(
        _OUTCOMES.get(run["outcome"], Outcome.SILENT),
        command=tuple(run.get("cmd") or ()),
        exit_code=run.get("exit_code"),
        stderr=run.get("stderr") or "",
        stdout="".join(noise["text"] for noise in run.get("stdout_noise") or ()),
        messages=tuple(texts(run.get("server_requests"))) + tuple(texts(run.get("initialize"))),
        listening=tuple(map(str, run.get("listening") or ())),
        names=(run["package"], _server_name(run)),
        tools=len(lists.get("tools") or ()) if lists else None,
    )


def _server_name(run: Any) -> str:
    match run.get("initialize"):
        case {"result": {"serverInfo": {"name": str(name)}}}:
            return name
        case _:
            return ""


def texts(value: Any) -> list[str]:
    """The messages in answers and requests that are no results."""
    match value:
        case {"message": str(message), **rest}:
            return [message, *texts(list(rest.values()))]
        case {"result": _}:
            return []
        case dict():
            return [text for each in value.values() for text in texts(each)]
        case list():
            return [text for each in value for text in texts(each)]
        case _:
            return []


def read(path: Path) -> Any:
    """A JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def _figure(what: str, count: int, total: int, bar: str) -> str:
    share = f"{count / total:6.1%}" if total else "   n/a"
    return f"  {what:34} {share}  ({count} of {total})" + (f"  bar: {bar}" if bar else "")


if __name__ == "__main__":
    main()
