"""Tiny packages, written out and read."""

from pathlib import Path
from textwrap import dedent

from avow.system.diagnosis.code import CodeFact, CodeFacts, Need, read_package


def read_python(directory: Path, source: str, **others: str) -> CodeFacts:
    """What is learnt from a Python package whose program is `main` in `server.py`."""
    files = {"small/__init__.py": "", "small/server.py": source}
    files |= {f"small/{name}.py": text for name, text in others.items()}
    files["small-1.0.dist-info/entry_points.txt"] = "[console_scripts]\nsmall = small.server:main\n"
    files["small-1.0.dist-info/RECORD"] = "".join(f"{name},sha256=x,1\n" for name in files)
    write(directory, files)
    return read_package(directory, distribution="small")


def read_script(directory: Path, source: str, **others: str) -> CodeFacts:
    """What is learnt from an npm package whose program is `index.js`."""
    files = {"package.json": '{"name": "small", "bin": "index.js"}', "index.js": source}
    write(directory, files | {name.replace("_", "."): text for name, text in others.items()})
    return read_package(directory)


def write(directory: Path, files: dict[str, str]) -> None:
    """Put files where they belong."""
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")


def needed(facts: CodeFacts, need: Need = Need.START) -> list[str]:
    """The names of what is needed, as a user would write them."""
    return [fact.parameter.binding.name for fact in facts.needed(need)]


def fact(facts: CodeFacts, name: str) -> CodeFact:
    """What is known about one name."""
    return next(each for each in facts.facts if each.parameter.binding.name == name)


def ways(facts: CodeFacts) -> list[set[tuple[str, ...]]]:
    """The ways of every group."""
    return [set(group.group.ways) for group in facts.groups]
