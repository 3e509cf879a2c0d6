"""One registry with releases of real servers for all tests, and a browser that notes complaints."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from registry_browser import Served, serving
from registry_showcase import showcase

CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture(scope="package")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(lambda: showcase(tmp_path_factory.mktemp("registry"))) as served:
        yield served


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """While it is open a loop runs in this thread, which other tests have no use for."""
    if not CHROMIUM.exists():
        pytest.skip("Chromium is not installed as /usr/bin/chromium")
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=str(CHROMIUM), args=arguments)


@pytest.fixture
def complaints() -> list[str]:
    """What the browser complained of."""
    return []


@pytest.fixture
def page(browser: Browser, served: Served, complaints: list[str]) -> Iterator[Page]:
    context = browser.new_context(base_url=served.url)
    context.set_default_timeout(15_000)
    page = context.new_page()
    page.on("console", lambda message: complaints.append(f"{page.url}: {message.type} {message.text}"))
    page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}"))
    page.on("requestfailed", lambda request: complaints.append(f"{request.url}: {request.failure}"))
    yield page
    context.close()
