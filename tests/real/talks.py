"""What clients talk about with each server: steps that all of them understand, and the state to begin in."""

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from real.packages import Packages

Json = dict[str, Any]

LISTS: list[Json] = [{"do": each} for each in ("tools", "prompts", "resources", "templates")]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="


@dataclass(frozen=True, slots=True)
class Talk:
    """A server, what to do with it, and how to put back what a talk changed."""

    command: list[str]
    steps: list[Json]
    environment: dict[str, str] = field(default_factory=dict)
    roots: tuple[str, ...] = ()
    reset: Callable[[], None] = lambda: None
    url: str = ""


def call(name: str, **arguments: Any) -> Json:
    return {"do": "call", "name": name, "arguments": arguments}


def everything(packages: Packages) -> Talk:
    """All that the reference server has, except its environment and what its session adds to its lists."""
    department = {"type": "ref/prompt", "name": "completable-prompt"}
    text = {"type": "ref/resource", "uri": "demo://resource/dynamic/text/{resourceId}"}
    steps = [
        {"do": "heard", "method": "notifications/tools/list_changed"},
        {"do": "heard", "method": "roots/list"},
        *LISTS,
        {"do": "level", "level": "debug"},
        call("echo", message='quotes " and \\ and 𝄞 and \u2028'),
        call("get-sum", a=0.1, b=1e21),
        call("get-annotated-message", messageType="error", includeImage=True),
        call("get-structured-content", location="Chicago"),
        call("get-tiny-image"),
        call("get-resource-links", count=3),
        call("get-resource-reference", resourceType="Text", resourceId=7),
        call("get-resource-reference", resourceType="Text", resourceId=-1),
        call("get-roots-list"),
        call("trigger-sampling-request", prompt="What is it?", maxTokens=10),
        call("trigger-elicitation-request"),
        {**call("trigger-long-running-operation", duration=0.3, steps=3), "progress": True},
        {**call("trigger-long-running-operation", duration=0.6, steps=3), "cancel": True},
        call("simulate-research-query", topic="a tool that asks for a task"),
        {"do": "read", "uri": "demo://resource/static/document/features.md"},
        {"do": "read", "uri": "demo://resource/dynamic/text/3"},
        {"do": "read", "uri": "demo://resource/dynamic/text/none"},
        {"do": "prompt", "name": "simple-prompt"},
        {"do": "prompt", "name": "args-prompt", "arguments": {"city": "Ulm", "state": "BW"}},
        {"do": "prompt", "name": "args-prompt", "arguments": {}},
        {"do": "complete", "ref": department, "argument": {"name": "department", "value": "S"}},
        {
            "do": "complete",
            "ref": department,
            "argument": {"name": "name", "value": ""},
            "context": {"department": "Sales"},
        },
        {"do": "complete", "ref": text, "argument": {"name": "resourceId", "value": "1"}},
        {"do": "subscribe", "uri": "demo://resource/static/document/features.md"},
        call("toggle-subscriber-updates"),
        {"do": "heard", "method": "notifications/resources/updated"},
        call("echo", message="after everything"),
    ]
    return Talk(packages.npm_server("server-everything"), steps, roots=("file:///srv/one", "file:///srv/two"))


def filesystem(packages: Packages, place: Path) -> Talk:
    """Files are written, edited, moved and read, and some are out of reach."""
    files = place / "files"

    def reset() -> None:
        shutil.rmtree(files, ignore_errors=True)
        (files / "deep" / "deeper").mkdir(parents=True)
        (files / "pixel.png").write_bytes(base64.b64decode(PIXEL))
        (files / "deep" / "words.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")

    words = str(files / "deep" / "words.txt")
    steps = [
        {"do": "heard", "method": "roots/list"},
        *LISTS,
        call("list_allowed_directories"),
        call("read_text_file", path=words, tail=2),
        call("read_media_file", path=str(files / "pixel.png")),
        call("edit_file", path=words, edits=[{"oldText": "two", "newText": "2"}], dryRun=True),
        call("edit_file", path=words, edits=[{"oldText": "not there", "newText": "2"}]),
        call("write_file", path=str(files / "new.txt"), content="a\u0000b\n" + "long " * 20_000),
        call("read_text_file", path=str(files / "new.txt")),
        call("move_file", source=str(files / "new.txt"), destination=str(files / "deep" / "moved.txt")),
        call("read_multiple_files", paths=[words, str(files / "nothing.txt")]),
        call("directory_tree", path=str(files)),
        call("list_directory_with_sizes", path=str(files / "deep"), sortBy="size"),
        call("search_files", path=str(files), pattern="**/*.txt"),
        call("read_text_file", path=str(files / "nothing.txt")),
        call("read_text_file", path="/etc/hostname"),
    ]
    return Talk(
        [*packages.npm_server("server-filesystem"), str(files)], steps, roots=(files.as_uri(),), reset=reset
    )


def memory(packages: Packages, place: Path) -> Talk:
    """A graph is built, searched and taken apart; the file it lives in comes from the environment."""
    file = place / "memory.jsonl"
    ada = {"name": "Ada", "entityType": "person", "observations": ["wrote the first program"]}
    engine = {"name": "Engine", "entityType": "machine", "observations": []}
    steps = [
        *LISTS,
        call("create_entities", entities=[ada, engine]),
        call("create_relations", relations=[{"from": "Ada", "to": "Engine", "relationType": "programmed"}]),
        call("add_observations", observations=[{"entityName": "Engine", "contents": ["has gears ⚙"]}]),
        call("add_observations", observations=[{"entityName": "Nobody", "contents": ["is not there"]}]),
        call("search_nodes", query="gears"),
        call("open_nodes", names=["Ada", "Nobody"]),
        call("read_graph"),
        {"do": "read", "uri": "memory://knowledge-graph"},
        call("delete_entities", entityNames=["Ada", "Engine"]),
        call("read_graph"),
    ]
    environment = {"MEMORY_FILE_PATH": str(file)}
    return Talk(
        packages.npm_server("server-memory"), steps, environment, reset=lambda: file.unlink(missing_ok=True)
    )


def git(packages: Packages, place: Path) -> Talk:
    """A repository with one commit and one change."""
    repository = place / "repository"
    who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _WHO.items()}

    def run(*words: str) -> None:
        command = ["git", "-c", "init.defaultBranch=main", "-C", str(repository), *words]
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, **who})

    def reset() -> None:
        shutil.rmtree(repository, ignore_errors=True)
        repository.mkdir()
        run("init")
        (repository / "notes.txt").write_text("first\n", encoding="utf-8")
        run("add", ".")
        run("commit", "-m", "Begin")
        (repository / "notes.txt").write_text("first\nsecond ✓\n", encoding="utf-8")

    at = str(repository)
    steps = [
        *LISTS,
        call("git_status", repo_path=at),
        call("git_diff_unstaged", repo_path=at),
        call("git_add", repo_path=at, files=["notes.txt"]),
        call("git_diff_staged", repo_path=at, context_lines=0),
        call("git_log", repo_path=at, max_count=5),
        call("git_show", repo_path=at, revision="HEAD"),
        call("git_create_branch", repo_path=at, branch_name="side"),
        call("git_branch", repo_path=at, branch_type="local"),
        call("git_show", repo_path=at, revision="no-such-revision"),
        call("git_status", repo_path=str(place)),
    ]
    return Talk([packages.python_server("mcp-server-git")], steps, reset=reset)


_WHO = {"NAME": "Ada", "EMAIL": "ada@example.org", "DATE": "2026-01-02T03:04:05+00:00"}


def excel(packages: Packages, place: Path) -> Talk:
    """A workbook is made, filled and read."""
    books = place / "books"
    book = str(books / "book.xlsx")

    def reset() -> None:
        shutil.rmtree(books, ignore_errors=True)
        books.mkdir()

    steps = [
        *LISTS,
        call("create_workbook", path=book, sheets=["Boards"]),
        call("write_range", path=book, sheet="Boards", at="A1", rows=[["wood", "length"], ["oak", 2.5]]),
        call("read_range", path=book, sheet="Boards"),
        call("describe_sheet", path=book, sheet="Boards"),
        call("find_cells", path=book, query="oak"),
        call("create_workbook", path=book),
        call("read_range", path=str(books / "nothing.xlsx"), sheet="Boards"),
    ]
    command = [packages.python_server("excel-mcp-server"), "stdio", "--allow-dir", str(books)]
    return Talk(command, steps, reset=reset)


def workshop() -> Talk:
    """Our own server on SDK 2, for what the others do not do in the newer era."""
    steps = [
        *LISTS,
        call("saw", length=3, parts=3),
        call("draw"),
        call("fail", reason="the saw is blunt"),
        {**call("plane", strokes=4), "progress": True},
        {**call("dry"), "cancel": True},
        call("shelf"),
        call("consult"),
        {"do": "read", "uri": "plan://table"},
        {"do": "read", "uri": "photo://table"},
        {"do": "read", "uri": "board://oak/2.5"},
        {"do": "prompt", "name": "build", "arguments": {"what": "table"}},
        {
            "do": "complete",
            "ref": {"type": "ref/prompt", "name": "build"},
            "argument": {"name": "wood", "value": "o"},
        },
    ]
    return Talk([sys.executable, str(Path(__file__).parent / "servers" / "workshop.py")], steps)


def all_talks(packages: Packages, place: Path) -> dict[str, Talk]:
    """Every server under the name it is approved by."""
    return {
        "everything": everything(packages),
        "filesystem": filesystem(packages, place),
        "memory": memory(packages, place),
        "git": git(packages, place),
        "excel": excel(packages, place),
        "workshop": workshop(),
    }
