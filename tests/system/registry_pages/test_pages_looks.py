"""Every page in a real browser: whole, for narrow and dark screens, by keyboard and by ear."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from avow.core.publication import ServerName
from avow.registry.approvals import decide
from avow.registry.model import ApprovalState
from registry_browser import Served, serving
from registry_showcase import END, Release, Showcase, add, showcase
from small_server import READ, snapshot

FILES = "/servers/io.github.modelcontextprotocol/filesystem"
CONTRASTED = [
    "/",
    "/servers",
    FILES,
    f"{FILES}/compare?from=0.6.2&to=2026.8.31",
    "/search?q=file",
    "/approvals",
    "/log/40",
    "/login",
]
LENGTHY = "averylongname" * 20
LONG = f"/servers/io.github.{'long-namespace-' * 5}x/{'long-server-' * 6}x"
EVERY_PAGE = [
    "/",
    "/?level=critical",
    "/servers",
    FILES,
    f"{FILES}/versions",
    f"{FILES}/versions/2025.7.29",
    f"{FILES}/compare?from=0.6.2&to=2026.8.31",
    f"{FILES}/replacements",
    "/servers/dev.example/notes",
    "/search",
    "/search?argument=path&type=string&risk=high",
    "/approvals",
    "/approvals?environment=staging",
    "/log",
    "/log/0",
    "/log/40",
    "/login",
]


def test_every_page_is_whole_and_asks_nobody_else(page: Page, served: Served, complaints: list[str]) -> None:
    """No error in the console, no breach of the policy, one heading, one request a file, all of them ours."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    for path in EVERY_PAGE:
        answer = page.goto(path)
        assert answer is not None
        assert (answer.status, page.locator("h1").count()) == (200, 1), path
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "style=" not in answer.text()
        assert not re.search(r"<script(?! src=)|\son\w+=", answer.text())

    assert complaints == []
    assert all(url.startswith(served.url) for url in asked)


def test_pages_fit_a_narrow_screen_and_follow_the_dark(browser: Browser, served: Served) -> None:
    """Nothing has to be scrolled sideways, and dark is dark: text and ground change places."""
    context = browser.new_context(
        base_url=served.url, color_scheme="dark", viewport={"width": 360, "height": 740}
    )
    page = context.new_page()

    for path in EVERY_PAGE:
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
    ground, ink = (
        _lightness(page, f"getComputedStyle(document.body).{each}") for each in ("backgroundColor", "color")
    )
    context.close()

    assert ground < 60 < 200 < ink


def _lightness(page: Page, expression: str) -> float:
    parts = [float(part) for part in re.findall(r"[\d.]+", page.evaluate(expression))[:3]]
    return sum(parts) / len(parts)


def test_texts_stand_out_from_their_ground(browser: Browser, served: Served) -> None:
    """A contrast of 4.5 for every text that is shown, in both schemes (WCAG 2.2, 1.4.3)."""
    for scheme in ("light", "dark"):
        context = browser.new_context(base_url=served.url, color_scheme=scheme)
        page = context.new_page()
        for path in (*CONTRASTED, "/nothing/here"):
            page.goto(path)
            assert page.evaluate(FAINT) == [], (scheme, path)
        context.close()


FAINT = """() => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const part = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const ground = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const found = numbers(getComputedStyle(each).backgroundColor);
      if (found.length === 3 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  const skipped = "svg, .unseen, button:disabled, option";
  const faint = new Set();
  for (const element of document.querySelectorAll("main *, header *, footer *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || element.closest(skipped) || !element.checkVisibility()) continue;
    const [a, b] = [light(numbers(getComputedStyle(element).color)), light(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faint.add(`${element.tagName}.${element.className} ${ratio.toFixed(2)}`);
  }
  return [...faint];
}"""


def test_a_keyboard_is_enough(page: Page) -> None:
    """The first stop leads past the navigation; where one is can be seen; a capability opens by a key."""
    page.goto(FILES)

    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="io.github.modelcontextprotocol")).to_be_focused()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Tab")
    expect(page.locator("summary").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("paragraph").filter(has_text="Make line-based edits")).to_be_visible()


def test_landmarks_and_labels_are_there_for_a_screen_reader(page: Page) -> None:
    """Every field has a name, every region one too, and headings skip no level."""
    for path in (FILES, "/search", "/log/3", "/login", "/servers"):
        page.goto(path)
        expect(page.get_by_role("main")).to_have_count(1)
        expect(page.get_by_role("banner")).to_have_count(1)
        expect(page.get_by_role("navigation", name="Main")).to_have_count(1)
        unnamed = page.evaluate(
            """() => [...document.querySelectorAll("input:not([type=hidden]), select, textarea")]
                .filter((field) => !field.labels?.length && !field.ariaLabel)
                .map((field) => field.outerHTML)"""
        )
        levels = page.evaluate(
            "[...document.querySelectorAll('h1,h2,h3,h4')].map((each) => +each.tagName[1])"
        )
        assert unnamed == []
        assert all(after <= before + 1 for before, after in pairwise(levels)), path


NARROWEST = "Math.min(...[...document.querySelectorAll('.cards tbody th')].map((each) => each.clientWidth))"
BROKEN = """() => {
  const broken = [];
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement.closest(".cards tbody")) continue;
    for (const word of node.data.matchAll(/(?<![^ ])[A-Za-z]{2,10}(?![^ ])/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (range.getClientRects().length > 1) broken.push(word[0]);
    }
  }
  return broken;
}"""


@asynccontextmanager
async def lengthy(directory: Path) -> AsyncIterator[Showcase]:
    """A server that makes everything as long as it may be, among ordinary ones."""
    words = "word " * 500
    arguments = {f"{LENGTHY}_{number}": {"type": "string", "description": LENGTHY} for number in range(100)}
    tool = {
        "name": LENGTHY[:120],
        "description": words,
        "inputSchema": {"type": "object", "properties": arguments},
    }
    told = {"name": LENGTHY, "version": LENGTHY, "title": LENGTHY, "description": words}
    async with showcase(directory) as shown:
        for number, tools in enumerate(([READ], [READ, tool])):
            release = Release(f"1.{number}-{'b.' * 50}", snapshot(tools, server=told, instructions=words))
            release = replace(release, version=release.version.strip("."))
            await add(shown.service.store, LONG.removeprefix("/servers/"), release, END)
        for by in ("A" * 100, "B" * 100):
            await decide(
                shown.service.store,
                ServerName.read(LONG.removeprefix("/servers/")),
                "latest",
                environment="production",
                state=ApprovalState.APPROVED,
                by=by,
                reason=f"{LENGTHY} {words}",
                at=END,
            )
        yield shown


def test_what_a_server_writes_does_not_break_the_page(browser: Browser, tmp_path: Path) -> None:
    """Names and versions as long as they may be: no word beside them is broken, and nothing sticks out.

    In the widths between, columns that could be any width would leave a word no room.
    """
    with serving(lambda: lengthy(tmp_path)) as served:
        for width in (360, 720, 1000, 1280):
            context = browser.new_context(base_url=served.url, viewport={"width": width, "height": 740})
            page = context.new_page()
            for path in ("/", "/servers", LONG, f"{LONG}/compare", f"{LONG}/versions", "/approvals", "/log"):
                page.goto(path)
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (width, path)
                assert page.evaluate(BROKEN) == [], (width, path)
                assert width > 360 or page.evaluate(NARROWEST) > 250, path
            context.close()
