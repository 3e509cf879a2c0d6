"""What hostile servers and links try with a reader's browser, and that nothing comes of it."""

import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from avow.registry.model import Role
from registry_browser import Served, serving
from registry_hostile import ATTACKS, LINK, LINKS, NAME, hostile_showcase

SERVER = f"/servers/{NAME}"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Here everything was written by an enemy."""
    address = f"sqlite:///{tmp_path_factory.mktemp('hostile')}/registry.db"
    with serving(lambda: hostile_showcase(address)) as served:
        yield served


@pytest.fixture(scope="module")
def context_page(browser: Browser, served: Served) -> Iterator[Page]:
    """One signed-in page for all attacks, which remembers what was done to it."""
    context = browser.new_context(base_url=served.url)
    page = context.new_page()
    page.goto("/login")
    page.get_by_label("Token").fill(served.tokens[Role.APPROVE])
    page.get_by_role("button", name="Sign in").click()
    yield page
    context.close()


@pytest.fixture
def victim(context_page: Page) -> Iterator[Page]:
    """A page that must not run, load or link anything that somebody else wrote."""
    complaints: list[str] = []
    asked: list[str] = []
    hear = lambda message: complaints.append(message.text)  # noqa: E731
    note = lambda request: asked.append(request.url)  # noqa: E731
    context_page.on("console", hear)
    context_page.on("request", note)
    yield context_page
    context_page.remove_listener("console", hear)
    context_page.remove_listener("request", note)
    assert [each for each in complaints if "status of 4" not in each] == []
    assert not [url for url in asked if url.endswith("/x")]


def unharmed(page: Page) -> None:
    assert page.evaluate("window.hurt") is None
    assert page.evaluate("document.querySelectorAll('script:not([src]), img, [onerror]').length") == 0
    assert page.evaluate("[...document.links].filter((each) => !/^https?:/.test(each.protocol)).length") == 0
    fields = page.evaluate("[...document.querySelectorAll('textarea, input')].map((each) => each.value)")
    text = page.locator("body").inner_text() + "".join(fields)
    assert not {"\u202e", "\u200b", "\x1b"} & set(text)
    assert "injected" not in text


def test_nothing_that_a_server_writes_is_obeyed(victim: Page) -> None:
    """Names, descriptions, arguments, types, instructions, needs, addresses: all of it is text."""
    for path in (
        "/",
        "/servers",
        SERVER,
        f"{SERVER}/versions",
        f"{SERVER}/compare",
        "/search?q=tool",
        "/approvals",
    ):
        victim.goto(path)
        for closed in victim.locator("details").all():
            closed.evaluate("each => { each.open = true; }")
        unharmed(victim)
        assert victim.locator("body").inner_text().count("<script>") > 0 or path == "/servers", path


def test_a_hostile_tool_is_shown_whole_with_what_was_hidden(victim: Page) -> None:
    victim.goto(SERVER)
    tool = victim.get_by_role("listitem").filter(has=victim.locator("summary code", has_text="tool'")).first
    tool.locator("summary").click()
    expect(tool).to_contain_text("title'\"></textarea></title></script><script>window.hurt=1</script>")
    expect(tool).to_contain_text("\\u{202e}")
    tool.get_by_role("link", name="Whole definition").click()
    expect(victim.locator("pre.definition")).to_contain_text("window.hurt=1")
    expect(victim.locator("pre.definition")).to_contain_text("\\u202e")
    unharmed(victim)


def test_an_entry_of_the_log_with_a_hostile_reason_still_checks(victim: Page) -> None:
    """Every byte of it is in the form, and none of it is markup."""
    victim.goto("/log")
    unharmed(victim)
    victim.get_by_role("row").filter(has_text="approved").get_by_role("link").first.click()
    unharmed(victim)
    entry = victim.get_by_label("The entry")
    expect(entry).to_have_value(re.compile(r"safe\\u\{202e\}txt.*\\\\u\{202e\}"))
    victim.get_by_role("button", name="Check the proof").click()
    verdict = victim.locator("#proof-verdict")
    expect(verdict).to_have_text("The proof holds: this entry is in the log.")
    entry.fill(entry.input_value().replace(r"safe\u{202e}", r"safe\u{202d}"))
    victim.get_by_role("button", name="Check the proof").click()
    expect(verdict).to_have_text("The proof does not hold: the checkpoint has another root.")


@pytest.mark.parametrize("path", LINKS)
def test_nothing_in_a_link_is_obeyed(victim: Page, path: str) -> None:
    """Whatever the answer is, it is a page of ours that holds the text, or an error that does."""
    for attack in ATTACKS:
        answer = victim.goto(path.replace("{}", quote(attack, safe="")))
        assert answer is not None
        assert answer.status in (200, 404, 422)
        if answer.headers["content-type"].startswith("text/html"):
            unharmed(victim)


def test_signing_in_leads_nowhere_else(browser: Browser, served: Served) -> None:
    context = browser.new_context(base_url=served.url)
    page = context.new_page()
    for elsewhere in (
        LINK,
        "//attacker.example/",
        "https://attacker.example/",
        "/\\attacker.example",
        "/\t/x",
    ):
        page.goto(f"/login?next={quote(elsewhere, safe='')}")
        page.get_by_label("Token").fill(served.tokens[Role.READ])
        page.get_by_role("button", name="Sign in").click()
        expect(page).to_have_url(f"{served.url}/")
        page.get_by_role("button", name="Sign out").click()
    context.close()
