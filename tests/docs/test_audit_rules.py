"""Every rule has a page: why, a bad and a good example, and how to fix it; the examples are true."""

import re
from pathlib import Path

import pytest

from avow.audit.catalogue import RULES
from avow.audit.rules import ALL
from avow.audit.scan import scan

DOCS = Path(__file__).parents[2] / "docs"
PAGES = DOCS / "rules"
SECTION = re.compile(r"^## (\w+)\n\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ENDINGS = {"ts": ".ts", "python": ".py"}


def sections(rule: str) -> dict[str, str]:
    return dict(SECTION.findall((PAGES / f"{rule}.md").read_text(encoding="utf-8")))


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    assert sorted(path.stem for path in PAGES.glob("*.md")) == sorted(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_a_page_has_its_parts(rule: str) -> None:
    info, text = RULES[rule], (PAGES / f"{rule}.md").read_text(encoding="utf-8")

    assert text.startswith(f"# {rule} {info.name}\n")
    assert f"Severity `{info.severity}`; pattern `{info.pattern}`" in text
    assert list(sections(rule)) == ["Why", "Bad", "Good", "Fix"]


@pytest.mark.parametrize("rule", [rule.info.id for rule in ALL])
@pytest.mark.parametrize("kind", ["Bad", "Good"])
def test_an_example_is_one(rule: str, kind: str, tmp_path: Path) -> None:
    """The bad one is found by its rule, the good one is not."""
    [(language, code)] = FENCE.findall(sections(rule)[kind])
    path = tmp_path / f"example{ENDINGS[language]}"
    path.write_text(code)

    assert (rule in {finding.rule for finding in scan(path).findings}) == (kind == "Bad")


def test_the_guide_names_every_rule() -> None:
    guide = (DOCS / "audit.md").read_text(encoding="utf-8")

    assert [rule for rule in RULES if f"(rules/{rule}.md)" not in guide] == []
