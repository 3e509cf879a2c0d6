"""Finding out what a server does and what changed in it, in a real browser."""

import re

from playwright.sync_api import Browser, Page, expect

from registry_browser import Served

FILES = "/servers/io.github.modelcontextprotocol/filesystem"


def test_from_a_change_to_the_words_that_changed(page: Page) -> None:
    """The way of somebody who wonders what a new version does."""
    page.goto("/?level=critical")
    story = page.get_by_role("article").filter(has_text="filesystem 2026.8.31")
    expect(story).to_contain_text("no longer promises not to destroy anything")
    story.get_by_role("link", name="compare with 2026.1.14").click()

    move = page.get_by_role("article").filter(has_text="tool move_file")
    expect(move).to_contain_text("critical")
    expect(move.locator("del").first).to_have_text("false")
    expect(move.locator("ins").first).to_have_text("true")
    reworded = page.get_by_role("article").filter(has_text="tool read_media_file")
    expect(reworded.locator(".old del").first).to_have_text(
        "an image or audio file. Returns the base64 encoded data"
    )
    expect(reworded.locator(".new ins").first).to_have_text("a file")


def test_any_two_versions_are_compared(page: Page) -> None:
    """A new tool is shown whole, and one turn shows it leaving."""
    page.goto(FILES)
    page.get_by_label("From").select_option("0.6.2")
    page.get_by_label("to", exact=True).select_option("2025.3.28")
    page.get_by_role("button", name="Compare").click()

    added = (
        page.get_by_role("article")
        .filter(has_text="tool edit_file")
        .or_(page.get_by_role("article").filter(has_text="tool directory_tree"))
    )
    expect(added.first).to_contain_text("a new tool that nobody approved")
    expect(added.first.locator(".old")).to_contain_text("not there")
    expect(added.first.locator(".new ins").filter(has_text="inputSchema")).to_have_count(1)
    page.get_by_role("link", name="Turn around").click()
    expect(page.get_by_text("the tool is no longer there").first).to_be_visible()


def test_a_server_shows_risk_needs_and_history(page: Page) -> None:
    page.goto("/servers/dev.example/notes")
    needs = page.get_by_role("table", name="Configuration")
    expect(needs.get_by_role("row").filter(has_text="NOTES_API_TOKEN")).to_contain_text("required secret")
    expect(needs.get_by_role("link")).to_have_count(0)

    page.goto(FILES)
    expect(page.get_by_role("heading", name="high risk")).to_contain_text("3 capabilities")
    expect(page.get_by_role("img", name="Capabilities by risk in 8 versions.")).to_be_visible()
    expect(page.locator("svg rect.fill-high")).to_have_count(8)
    page.get_by_role("link", name="2025.7.29", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("filesystem 2025.7.29")
    expect(page.get_by_text("This is an older version.")).to_be_visible()


def test_facets_narrow_a_search_while_one_types(page: Page, complaints: list[str]) -> None:
    """The list and the counts follow, the address too, and the focus stays where it was."""
    page.goto("/search")
    page.get_by_label("Name").fill("path")
    expect(page.locator("#found")).to_contain_text("57 capabilities")
    page.get_by_label("Type").select_option("string")
    page.get_by_label("high").check()
    expect(page).to_have_url(re.compile(r"argument=path&type=string&risk=high"))
    expect(page.locator("#found")).to_contain_text("26 capabilities")
    expect(page.locator("#count-kind-tool")).to_have_text("26")
    expect(page.locator("#count-risk-medium")).to_have_text("31")

    box = page.get_by_label("Words, a server, or a digest")
    box.press_sequentially("overwrite")
    expect(page.get_by_role("heading", level=2).filter(has_text="write_file")).to_be_visible()
    expect(page.get_by_text("Pivot")).to_have_count(0)
    expect(box).to_be_focused()
    page.get_by_label("prompt").check()
    expect(page.locator("#found")).to_contain_text("Nothing here has all of that")
    assert complaints == []


def test_a_search_works_without_scripts(browser: Browser, served: Served) -> None:
    context = browser.new_context(base_url=served.url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    page.get_by_role("searchbox").fill("directory tree")
    page.get_by_role("searchbox").press("Enter")
    hits = page.locator("#results")

    expect(hits.get_by_role("link", name="directory_tree")).to_be_visible()
    hits.get_by_role("link", name="directory_tree").click()
    expect(page.get_by_role("row").filter(has_text="filesystem")).to_contain_text("still has it")
    context.close()


def test_a_digest_tells_who_has_exactly_this(page: Page, served: Served) -> None:
    """The digest of a signature, pasted into the field of every page, leads to the servers with it."""
    page.goto(FILES)
    digest = page.locator("a.digest").get_attribute("title")
    assert digest is not None
    page.get_by_label("Search tools, servers or a digest").fill(digest)
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_have_text("A signature")
    expect(page.get_by_role("row").filter(has_text="filesystem")).to_contain_text("2026.8.31")


def test_what_could_replace_a_server_is_found(page: Page) -> None:
    """The vault has the very tool of the notes, and more; the notes cannot replace the vault."""
    page.goto("/servers/dev.example/notes")
    page.get_by_role("link", name="Servers that could replace it").click()
    expect(page.get_by_role("main").get_by_role("listitem")).to_have_text(["dev.example/vault 0.3.0 2 tools"])

    page.get_by_role("link", name="dev.example/vault").click()
    page.locator("summary", has_text="add_note").click()
    page.get_by_role("link", name="who else has exactly this tool").click()
    expect(page.get_by_role("row").filter(has_text="dev.example")).to_have_count(2)
    page.goto("/servers/dev.example/vault/replacements")
    expect(page.get_by_text("None is known here.")).to_be_visible()
