"""Proofs are short, begin with what they are about, and hold no secrets."""

import json

from avow.audit.live.proof import Shortening
from avow.system.connect.words import Secrets

NOBODY = Secrets(())


def test_a_long_list_begins_with_what_it_is_about() -> None:
    tools = [{"name": f"tool{number}"} for number in range(50)]

    shown = Shortening(NOBODY, {"tool41"}).value({"tools": tools})

    assert shown == {"tools": [{"name": "tool41"}, {"name": "tool0"}, {"name": "tool1"}, "and 47 more"]}


def test_what_is_short_stays_as_it_is() -> None:
    message = {"client": {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"flag": True}}}

    assert Shortening(NOBODY).proof([message]) == [message]


def test_a_huge_message_becomes_a_small_one() -> None:
    deep: object = "x" * 10_000
    for _ in range(50):
        deep = {f"member{number}": [deep, 1.5, None] for number in range(3)} if deep == "x" else {"in": deep}
    wide = {f"member{number}": deep for number in range(1_000)}

    shown = Shortening(NOBODY).value(wide)

    assert len(json.dumps(shown)) < 2_000
    assert isinstance(shown, dict)
    assert shown["…"] == "and 988 more"


def test_a_text_is_cut_and_marked() -> None:
    assert Shortening(NOBODY).text("x" * 1_000) == "x" * 160 + "…"


def test_a_secret_is_hidden_before_a_cut_could_leave_half_of_it() -> None:
    secret = "0123456789abcdef" * 4
    shortening = Shortening(Secrets([("TOKEN", secret)]))

    assert "0123" not in shortening.text("x" * 150 + secret)
    assert shortening.value({secret: [secret]}) == {"[TOKEN]": ["[TOKEN]"]}


def test_nobody_reads_more_than_a_few_messages() -> None:
    assert len(Shortening(NOBODY).proof([{"id": number} for number in range(100)])) == 8
