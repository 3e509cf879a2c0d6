"""The documentation tells the truth: its Python runs, its settings are settings, its links lead somewhere."""

import re
from pathlib import Path

import pytest

from avow.audit.settings import read_audit
from avow.cli.main import COMMANDS
from avow.proxy.settings import read_gate_policy
from avow.system.settings import read_settings

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)(?:#[^)]*)?\)")


def snippets(language: str) -> list[object]:
    return [
        pytest.param(code, id=f"{page.stem}-{number}")
        for page in PAGES
        for number, (name, code) in enumerate(FENCE.findall(page.read_text(encoding="utf-8")))
        if name == language
    ]


@pytest.mark.parametrize("code", snippets("python"))
def test_python_runs_as_it_stands(code: str) -> None:
    exec(compile(code, "documentation", "exec"), {})


@pytest.mark.parametrize("code", snippets("toml"))
def test_settings_are_settings(code: str, tmp_path: Path) -> None:
    (tmp_path / "avow.toml").write_text(code)
    policy = read_settings(tmp_path).policy
    read_gate_policy(policy.gate)
    read_audit(policy.audit)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    missing = [
        link for link in LINK.findall(page.read_text(encoding="utf-8")) if not (page.parent / link).exists()
    ]
    assert missing == []


def test_the_readme_names_every_command() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if name not in readme] == []
