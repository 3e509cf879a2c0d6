"""`avow configure --web` in a real browser: filled in, corrected, tried, done; and nobody else gets in."""

import json
import re
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from configure_helpers import CLONE, FILES, GITHUB, OTHER_TOKEN, TOKEN, Desk, served, variable
from run_sessions import is_running

CHROMIUM = Path("/usr/bin/chromium")
GO = "Start the server and save"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.skip("Chromium is not installed as /usr/bin/chromium")
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=str(CHROMIUM), args=arguments)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    context.set_default_timeout(15_000)
    page = context.new_page()
    yield page
    context.close()


def press(page: Page, name: str = GO) -> None:
    page.get_by_role("button", name=name).click()


def test_a_form_is_filled_in_corrected_tried_and_done(desk: Desk, page: Page) -> None:
    """The way of most people: something is missing, then rejected, then it works; the browser is done."""
    desk.serve({**GITHUB, **FILES}, accepts={"GITHUB_TOKEN": TOKEN})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    with served(desk) as form:
        page.goto(form.link)
        page.get_by_label("allowed-directory").fill("/tmp\n/var/tmp")
        press(page)
        expect(page.get_by_role("alert")).to_contain_text("GITHUB_TOKEN: has to be filled in")
        expect(page.get_by_label("allowed-directory")).to_have_value("/tmp\n/var/tmp")
        expect(page.get_by_label("GITHUB_TOKEN")).to_have_attribute("aria-invalid", "true")

        page.get_by_label("GITHUB_TOKEN").fill(OTHER_TOKEN)
        press(page)
        expect(page.get_by_role("alert")).to_contain_text("The credentials were rejected: nothing was saved")
        expect(page.get_by_role("alert")).to_contain_text("[GITHUB_TOKEN]: 401 Unauthorized")
        assert desk.files() == {}

        page.get_by_label("GITHUB_TOKEN").fill(TOKEN)
        press(page)
        expect(page.get_by_role("heading")).to_contain_text("demo is configured")
        code, said = form.end()

    assert code == 0
    assert desk.given["arguments"] == ["/tmp", "/var/tmp"]
    assert desk.where()["GITHUB_TOKEN"] == ("store", "****6789")
    assert {url.split("/")[2] for url in asked} == {form.link.split("/")[2]}
    assert TOKEN not in said + page.content()
    assert not any(TOKEN.encode() in data for data in desk.files().values())


def test_a_secret_that_was_typed_need_not_be_typed_again(desk: Desk, page: Page) -> None:
    desk.serve({**GITHUB, **FILES}, accepts={"GITHUB_TOKEN": TOKEN})

    with served(desk) as form:
        page.goto(form.link)
        page.get_by_label("GITHUB_TOKEN").fill(TOKEN)
        press(page)
        expect(page.get_by_label("GITHUB_TOKEN")).to_have_value("")
        expect(page.get_by_label("GITHUB_TOKEN")).to_have_attribute(
            "placeholder", "****6789, as you typed it"
        )
        assert TOKEN not in page.content()
        page.get_by_label("allowed-directory").fill("/tmp")
        press(page)
        expect(page.get_by_role("heading")).to_contain_text("demo is configured")
        assert form.end()[0] == 0

    assert desk.given["environment"]["GITHUB_TOKEN"] == TOKEN


def test_controls_fit_what_is_asked_for_and_silence_stores_nothing(desk: Desk, page: Page) -> None:
    members = [
        variable("PORT", type="number", default=8080),
        variable("VERBOSE", type="boolean"),
        variable("HOST", type="url", default="https://example.org"),
    ]
    desk.serve({**CLONE, "environmentVariables": [*CLONE["environmentVariables"], *members]})

    with served(desk) as form:
        page.goto(form.link)
        page.get_by_text("Optional (4)").click()
        expect(page.get_by_role("checkbox", name="CLONE_PRESERVE_PERMISSIONS")).to_be_checked()
        expect(page.get_by_label("PORT")).to_have_value("8080")
        page.get_by_label("VERBOSE").select_option(label="yes")
        page.get_by_label("source-directory").fill("/tmp")
        page.get_by_label("destination-directory").fill("/var/tmp")
        page.get_by_label("PORT").fill("many")
        press(page)
        expect(page.get_by_role("alert")).to_contain_text("PORT must be a number")
        page.get_by_label("PORT").fill("8080")
        page.get_by_role("checkbox", name="CLONE_PRESERVE_PERMISSIONS").uncheck()
        press(page)
        expect(page.get_by_role("heading")).to_contain_text("demo is configured")
        assert form.end()[0] == 0

    where = desk.where()
    assert where["PORT"] == ("default", "8080")
    assert where["VERBOSE"] == ("store", "true")
    assert where["CLONE_PRESERVE_PERMISSIONS"] == ("store", "false")


def test_the_keyboard_is_enough_and_paths_are_offered(desk: Desk, page: Page) -> None:
    desk.serve(CLONE)
    (desk.directory / "somewhere").mkdir()

    with served(desk) as form:
        page.goto(form.link)
        page.wait_for_url(re.compile("/$"))
        page.keyboard.press("Tab")
        page.keyboard.type(f"{desk.directory}/")
        offered = page.locator("datalist").first.locator(f'option[value="{desk.directory}/somewhere/"]')
        expect(offered).to_have_count(1)
        page.keyboard.press("Tab")
        page.keyboard.type("/var/tmp")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading")).to_contain_text("demo is configured")
        assert form.end()[0] == 0

    assert desk.given["arguments"] == [str(desk.directory), "/var/tmp"]


def test_cancel_saves_nothing_and_ends(desk: Desk, page: Page) -> None:
    desk.serve(GITHUB)

    with served(desk) as form:
        page.goto(form.link)
        page.get_by_label("GITHUB_TOKEN").fill(TOKEN)
        press(page, "Cancel")
        expect(page.get_by_role("heading")).to_contain_text("Nothing was saved")
        assert form.end()[0] == 1

    assert desk.files() == {}


def test_who_insists_may_save_what_does_not_work(desk: Desk, page: Page) -> None:
    desk.serve(GITHUB, dies=["GITHUB_TOKEN"])

    with served(desk) as form:
        page.goto(form.link)
        page.get_by_label("GITHUB_TOKEN").fill(TOKEN)
        press(page)
        expect(page.get_by_role("alert")).to_contain_text("The server did not start with these values")
        press(page, "Save although it does not work")
        expect(page.get_by_role("heading")).to_contain_text("demo is configured")
        assert form.end()[0] == 0

    assert desk.where()["GITHUB_TOKEN"] == ("store", "****6789")


def test_a_value_of_the_environment_needs_a_tick_that_names_server_and_variable(
    desk: Desk, page: Page
) -> None:
    desk.serve(GITHUB, accepts={"GITHUB_TOKEN": TOKEN})
    desk.extra = {"GITHUB_TOKEN": TOKEN}

    with served(desk) as form:
        page.goto(form.link)
        press(page)
        expect(page.get_by_role("alert")).to_contain_text("GITHUB_TOKEN")
        page.get_by_label("Give demo the value of $GITHUB_TOKEN from the environment").check()
        press(page)
        expect(page.get_by_role("heading")).to_contain_text("demo is configured")
        assert form.end()[0] == 0

    assert desk.where()["GITHUB_TOKEN"] == ("environment", "****6789")


def test_a_hostile_declaration_is_text_and_nothing_else(desk: Desk, page: Page) -> None:
    """Markup in every place where a declaration has words: it is shown, and nothing of it runs."""
    evil = '"><script>document.title="owned"</script><img src=x onerror=alert(1)>\u202e'
    desk.serve(
        {
            "environmentVariables": [
                variable(
                    "NAME", required=True, description=evil, pattern="^<b>", examples=[evil], default=evil
                ),
                variable("ROOT", type="path", default="/"),
                variable("LD_PRELOAD", description=evil),
            ]
        }
    )
    alarms: list[str] = []
    page.on("dialog", lambda dialog: alarms.append(dialog.message))

    with served(desk) as form:
        page.goto(form.link)
        page.get_by_text("Optional (1)").click()
        expect(page.get_by_label("NAME")).to_be_visible()
        expect(page.get_by_label("ROOT")).to_have_value("")
        expect(
            page.get_by_text("the server suggests /, which is not taken unless you type it")
        ).to_be_visible()
        expect(page.get_by_text("demo asks for LD_PRELOAD")).to_be_visible()
        assert page.title() == "Configure demo · Avow"
        assert page.locator("img, main script").count() == 0
        assert "\u202e" not in page.locator("main").inner_text()

    assert alarms == []


def test_only_the_first_who_has_the_link_gets_in(desk: Desk) -> None:
    """A used link, a guess, another name for this machine, another site's form: none of them gets in."""
    desk.serve(GITHUB)

    with served(desk) as form, httpx.Client() as first, httpx.Client() as second:
        origin = form.link.split("/")[2]
        home = form.link.partition("start?")[0]
        welcome = first.get(form.link)
        page = first.get(home)
        word = re.search(r'name="word" value="([^"]+)"', page.text)
        assert word is not None
        cookie = welcome.headers["Set-Cookie"]
        fields = {"word": word[1], "action": "cancel"}

        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert page.status_code == 200
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]
        assert "unsafe" not in page.headers["Content-Security-Policy"]
        assert second.get(form.link).status_code == 403
        assert second.get(home).status_code == 403
        assert second.get(f"http://{origin}/").status_code == 404
        assert second.post(home, data=fields).status_code == 403
        assert first.get(home, headers={"Host": "evil.example"}).status_code == 421
        assert first.post(home, data={"action": "cancel"}).status_code == 403
        assert first.post(home, data={**fields, "word": "x"}).status_code == 403
        assert first.post(home, data=fields, headers={"Origin": "https://evil.example"}).status_code == 403
        assert first.post(home, content=b"x" * 2_000_000).status_code == 413
        assert first.get(f"{home}paths?text=/&field=p0").status_code == 200
        assert second.get(f"{home}paths?text=/&field=p0").status_code == 403
        assert first.post(home, data=fields).status_code == 200
        assert form.end()[0] == 1


def test_a_form_that_nobody_uses_ends_by_itself(desk: Desk) -> None:
    desk.serve(GITHUB)

    with served(desk, "--idle", "0.5") as form:
        code, said = form.end()

    assert code == 1
    assert "nobody used the form" in said


def test_ctrl_c_ends_the_form_and_a_server_that_is_being_tried(desk: Desk) -> None:
    desk.serve(GITHUB, hangs=["GITHUB_TOKEN"])
    hanging = desk.directory / "hanging"

    with served(desk) as form, httpx.Client() as client:
        home = form.link.partition("start?")[0]
        client.get(form.link)
        word = re.search(r'name="word" value="([^"]+)"', client.get(home).text)
        assert word is not None
        fields = {"word": word[1], "action": "save", "p0": TOKEN}
        with ThreadPoolExecutor() as pool:
            pending = pool.submit(client.post, home, data=fields, timeout=30)
            wait_for(hanging.exists)
            form.process.send_signal(signal.SIGINT)
            code, said = form.end()
            assert isinstance(pending.exception(timeout=30), httpx.HTTPError)

    wait_for(lambda: not is_running(hanging.read_text(encoding="utf-8")))
    assert code == 130
    assert "Traceback" not in said
    assert desk.files().keys() == {hanging}


def test_the_result_is_a_document_on_request(desk: Desk, page: Page) -> None:
    desk.serve(GITHUB)

    with served(desk, "--format", "json") as form:
        page.goto(form.link)
        page.get_by_label("GITHUB_TOKEN").fill(TOKEN)
        press(page)
        expect(page.get_by_role("heading")).to_contain_text("demo is configured")
        out, _ = form.process.communicate(timeout=20)

    assert json.loads(out)["saved"] == ["GITHUB_TOKEN"]


def test_a_browser_is_opened_without_the_link_on_its_command_line(desk: Desk) -> None:
    """Whoever lists the programs of this machine could use the link first."""
    desk.serve(GITHUB)
    noted = desk.directory / "opened"
    browser = desk.directory / "browser"
    browser.write_text(
        f'#!/bin/sh\necho "$1" > {noted}.new; cat "${{1#file://}}" >> {noted}.new; mv {noted}.new {noted}\n'
    )
    browser.chmod(0o755)
    desk.extra = {"BROWSER": f"{browser} %s"}

    with served(desk, "--open", "--idle", "5") as form:
        wait_for(noted.exists)
        address, page = noted.read_text(encoding="utf-8").split("\n", 1)

    assert address.startswith("file://")
    assert form.link.rpartition("=")[2] not in address
    assert form.link in page


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)
