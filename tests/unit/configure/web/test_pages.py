"""The pages: complete for a screen reader, and free of anybody's markup."""

from html.parser import HTMLParser

import pytest

from avow.configure.web.fields import Control, Field
from avow.configure.web.pages import Banner, FormView, Section, form_page, notice_page

EVIL = "\"'><script>alert(1)</script><b>&amp;"


class Elements(HTMLParser):
    """The elements of a page, with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def page_with(*fields: Field) -> str:
    section = Section(EVIL, fields, note=EVIL)
    return form_page(FormView(EVIL, EVIL, EVIL, [section], [EVIL], Banner(EVIL, EVIL, EVIL)), "word")


@pytest.mark.parametrize("control", list(Control))
def test_nothing_that_a_server_says_becomes_an_element(control: Control) -> None:
    plain = Field(
        1, "a", control, "t", "d", "k", ("r",), "https://l", "p", (("v", "w"),), ambient="e", kept="s"
    )
    evil = Field(
        1, EVIL, control, EVIL, EVIL, EVIL, (EVIL,), EVIL, EVIL, ((EVIL, EVIL),), ambient=EVIL, kept=EVIL
    )

    names = [[tag for tag, _ in Elements(page_with(one)).found] for one in (plain, evil)]
    attributes = [[sorted(attrs) for _, attrs in Elements(page_with(one)).found] for one in (plain, evil)]

    assert names[0] == names[1]
    # An option that is the one in force says so; everything else is alike.
    assert [[one for one in each if one != "selected"] for each in attributes[0]] == [
        [one for one in each if one != "selected"] for each in attributes[1]
    ]


@pytest.mark.parametrize("control", list(Control))
def test_every_field_has_a_label_and_says_what_is_wrong(control: Control) -> None:
    found = Elements(page_with(Field(3, "Name", control, problem="must not be empty", description="d"))).found
    named = {
        attrs["id"]: attrs for tag, attrs in found if tag in ("input", "select", "textarea") and "id" in attrs
    }

    assert {attrs["for"] for tag, attrs in found if tag == "label"} == {"p3"}
    assert named["p3"]["aria-invalid"] == "true"
    assert "p3-problem" in str(named["p3"]["aria-describedby"])


def test_a_secret_is_never_part_of_the_page() -> None:
    assert "hunter2" not in page_with(Field(1, "Password", Control.SECRET, "hunter2"))


def test_no_script_or_style_stands_in_a_page() -> None:
    found = Elements(page_with(Field(1, "a", Control.TEXT))).found + Elements(notice_page("a", "b")).found

    assert all("src" in attrs for tag, attrs in found if tag == "script")
    assert not any(tag == "style" or "style" in attrs for tag, attrs in found)
    assert not any(name.startswith("on") for _, attrs in found for name in attrs)
