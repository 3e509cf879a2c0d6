"""A proof of the log, checked by the script in the page."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

HOLDS = "The proof holds: this entry is in the log."


def check(page: Page) -> None:
    page.get_by_role("button", name="Check the proof").click()


def test_a_proof_is_checked_in_the_page(page: Page, complaints: list[str]) -> None:
    """First, last and in between; without a network, so that nobody can be asked."""
    for index in (0, 7, 40):
        page.goto(f"/log/{index}", wait_until="networkidle")
        page.context.set_offline(True)
        check(page)
        expect(page.locator("#proof-verdict")).to_have_text(HOLDS)
        expect(page.locator("#proof-steps li")).to_have_count(4)
        page.context.set_offline(False)
    assert complaints == []


def other_letter(text: str) -> str:
    """The text with its first letter exchanged."""
    return ("A" if text[0] != "A" else "B") + text[1:]


TAMPERED: list[tuple[str, Callable[[str], str], str]] = [
    ("entry", lambda text: text.replace("2026-", "2025-", 1), "the checkpoint has another root"),
    ("index", lambda _: "8", "the checkpoint has another root"),
    ("index", lambda _: "-1", "the log has no such place"),
    ("hashes", other_letter, "the checkpoint has another root"),
    ("hashes", lambda text: text.rpartition("\n")[0], "there are fewer hashes than steps to the root"),
    ("hashes", lambda text: f"{text}\n{text.split()[0]}", "there are more hashes than steps to the root"),
    ("hashes", lambda text: text[:-4], "a hash has"),
    ("hashes", lambda text: f"!{text}", "is not base64"),
    ("checkpoint", other_letter, "the signature of the checkpoint does not fit"),
    ("checkpoint", lambda text: text[:-8] + other_letter(text[-8:]), "the signature of the checkpoint"),
    ("checkpoint", lambda text: text.partition("\n\n")[0], "the checkpoint cannot be read"),
    ("key", lambda text: text[:-6] + other_letter(text[-6:]), "the checkpoint is not signed by this key"),
    ("key", lambda _: "", "the key of the log cannot be read"),
]


def test_a_proof_that_was_tampered_with_does_not_hold(page: Page) -> None:
    """One letter is enough, in each part of it; put back, it holds again."""
    page.goto("/log/7")
    for field, change, reason in TAMPERED:
        box = page.locator(f"#proof-{field}")
        right = box.input_value()
        assert change(right) != right
        box.fill(change(right))
        check(page)
        expect(page.locator("#proof-verdict")).to_contain_text("The proof does not hold")
        expect(page.locator("#proof-verdict")).to_contain_text(reason)
        box.fill(right)
        check(page)
        expect(page.locator("#proof-verdict")).to_have_text(HOLDS)
