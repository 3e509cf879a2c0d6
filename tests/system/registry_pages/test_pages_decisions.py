"""Signing in and deciding about versions, in a real browser."""

from playwright.sync_api import Browser, Page, expect

from avow.registry.model import Role
from registry_browser import Served


def sign_in(page: Page, served: Served, role: Role = Role.APPROVE) -> None:
    page.goto("/login?next=/approvals")
    page.get_by_label("Token").fill(served.tokens[role])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def test_a_version_is_decided_by_two_people(browser: Browser, page: Page, served: Served) -> None:
    """One approves and it waits; the other agrees and it is approved; both stand in the log."""
    sign_in(page, served)
    due = page.locator(".due").filter(has_text="dev.example/notes")
    due.get_by_text("Decide").click()
    due.get_by_label("Why?").fill("Reads <b>nothing</b> else.")
    due.get_by_role("button", name="Approve 1.0.0 for production").click()
    expect(page.get_by_role("status")).to_contain_text("approve person approved dev.example/notes 1.0.0 for")
    waiting = page.get_by_role("region", name="Waiting for another person")
    expect(waiting).to_contain_text("approve person approved it just now: Reads <b>nothing</b> else.")
    expect(waiting).to_contain_text("pending in production, so far by approve person")

    context = browser.new_context(base_url=served.url)
    other = context.new_page()
    sign_in(other, served, Role.ADMINISTER)
    due = other.get_by_role("region", name="Waiting for another person").locator(".due")
    due.get_by_text("Decide").click()
    due.get_by_label("Why?").fill("Agreed.")
    due.get_by_role("button", name="Approve").click()
    expect(other.get_by_role("region", name="Waiting for another person")).to_have_count(0)
    usable = other.get_by_role("region", name="What may be used in production")
    row = usable.get_by_role("row").filter(has_text="dev.example/notes 1.0.0")
    expect(row).to_contain_text("1 tool")
    expect(row).to_contain_text("administer person approved it just now: Agreed.")
    other.get_by_role("status").get_by_role("link").click()
    other.get_by_role("button", name="Check the proof").click()
    expect(other.locator("#proof-verdict")).to_have_text("The proof holds: this entry is in the log.")
    other.goto("/servers/dev.example/notes")
    expect(other.get_by_role("region", name="Approval").get_by_role("listitem").first).to_contain_text(
        "approved"
    )
    other.goto("/")
    story = other.get_by_role("article").filter(has_text="dev.example/notes")
    expect(story).to_contain_text("approved in production by approve person, administer person")
    context.close()


def test_what_may_be_used_is_rejected_and_that_is_taken_back(page: Page, served: Served) -> None:
    """Without a tick in the box nothing is sent; what was rejected says who did, and why."""
    sign_in(page, served)
    page.goto("/servers/dev.example/vault")
    staging = page.get_by_role("region", name="Approval").get_by_role("listitem").filter(has_text="staging")
    staging.get_by_text("Decide").click()
    staging.get_by_label("Why?").fill("Only lists notes.")
    staging.get_by_role("button", name="Approve 0.3.0 for staging").click()
    row = page.get_by_role("row").filter(has_text="dev.example/vault 0.3.0")
    row.get_by_text("Change this").click()
    row.get_by_label("Why?").fill("It lists those of others, too.")
    row.get_by_role("button", name="Reject").click()
    expect(row.get_by_label("It is approved in staging")).to_be_focused()
    row.get_by_label("It is approved in staging").check()
    row.get_by_role("button", name="Reject").click()

    expect(page.get_by_role("status")).to_contain_text("approve person rejected dev.example/vault 0.3.0")
    rejected = page.get_by_role("region", name="Rejected in staging").get_by_role("row")
    rejected = rejected.filter(has_text="dev.example/vault 0.3.0")
    expect(rejected).to_contain_text("approve person rejected it just now: It lists those of others, too.")
    rejected.get_by_text("Change this").click()
    rejected.get_by_label("Why?").fill("They are public.")
    rejected.get_by_label("It is rejected in staging").check()
    rejected.get_by_role("button", name="Take back what I said").click()
    expect(page.get_by_role("region", name="Rejected in staging")).to_have_count(0)
    waiting = page.get_by_role("region", name="Waiting for another person")
    expect(waiting).to_contain_text("approve person took back what they had said")


def test_nobody_decides_without_the_role(page: Page, served: Served) -> None:
    page.goto("/approvals")
    expect(page.get_by_text("Sign in with a token that may approve")).to_be_visible()
    expect(page.locator(".decide")).to_have_count(0)

    sign_in(page, served, Role.PUBLISH)
    expect(page.get_by_text("Your token has the role publish")).to_be_visible()
    expect(page.locator(".decide")).to_have_count(0)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("banner").get_by_role("link", name="Sign in")).to_be_visible()


def test_another_site_cannot_decide_for_a_person(page: Page, served: Served) -> None:
    """Its form is sent without the cookie and from elsewhere; one with a guessed word fails as well."""
    sign_in(page, served)
    cookies = page.context.cookies()
    assert [(each["httpOnly"], each["sameSite"]) for each in cookies] == [(True, "Strict")]
    assert page.evaluate("document.cookie") == ""
    assert served.tokens[Role.APPROVE] not in str(cookies)
    form = """<form method="post" action="{}/approvals"><input name="word" value="guess">
        <input name="name" value="io.github.modelcontextprotocol/git"><input name="decision" value="approve">
        <button>Win a prize</button></form>"""

    page.route(
        "http://attacker.example/",
        lambda route: route.fulfill(body=form.format(served.url), content_type="text/html"),
    )
    page.goto("http://attacker.example/")
    page.get_by_role("button").click()
    expect(page.get_by_text("this form was sent by another site")).to_be_visible()

    page.goto("/approvals")
    page.locator(".due").first.get_by_text("Decide").click()
    page.evaluate("document.querySelector('.due input[name=word]').value = 'guess'")
    page.locator(".due").first.get_by_label("Why?").fill("Because.")
    page.locator(".due").first.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("this form is not from a page of yours")).to_be_visible()


def test_a_wrong_token_is_told_so(page: Page) -> None:
    page.goto("/login")
    page.get_by_label("Token").fill("avow_wrong")
    page.get_by_role("button", name="Sign in").click()

    expect(page.get_by_role("alert")).to_contain_text("this token is not valid here")
    assert page.context.cookies() == []
