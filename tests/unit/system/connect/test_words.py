"""A server's words in errors: without secrets, without escapes, and not without end."""

from avow.core.target import HttpTarget, StdioTarget
from avow.system.connect.words import Secrets, Tail, quoted, secrets_of


def test_secrets_are_replaced_by_their_names() -> None:
    """Values of variables and headers, and what an address carries, in every spelling of an address."""
    url = "https://me:pass%20word@host/mcp?key=query-value&page=2"
    environment = {"TOKEN": "abc/def=", "DEBUG": "1"}
    secrets = secrets_of(HttpTarget(url), environment, {"Authorization": "Bearer xyz-123"}, url)

    said = secrets.hide("abc/def= abc%2Fdef%3D Bearer xyz-123 xyz-123 pass word pass%20word query-value 1 2")

    assert said == ("[TOKEN] [TOKEN] [Authorization] [Authorization] [password] [password] [key] 1 2")


def test_the_longer_of_two_secrets_is_hidden_whole() -> None:
    assert Secrets([("SHORT", "abcd"), ("LONG", "abcdefgh")]).hide("abcdefgh abcd") == "[LONG] [SHORT]"


def test_only_the_end_of_a_flood_is_kept() -> None:
    tail = Tail(100)
    for number in range(1000):
        tail.append(f"line {number}\n".encode())

    text = tail.text(Secrets(()))

    assert text.endswith("line 999")
    assert len(text) <= 200


def test_a_piece_larger_than_the_limit_is_cut() -> None:
    tail = Tail(10)
    tail.append(b"0123456789abcdefghij")

    assert tail.text(Secrets(())) == "abcdefghij"


def test_a_secret_that_was_cut_in_half_does_not_show() -> None:
    """Its end is all that was kept, and no longer looks like the secret."""
    tail = Tail(30)
    tail.append(b"the token is s3cr3t-and-very-long and that was it")

    assert "very-long" not in tail.text(Secrets([("TOKEN", "s3cr3t-and-very-long")]))


def test_colours_go_and_other_escapes_show() -> None:
    tail = Tail(100)
    tail.append(b"\x1b[1;31mError\x1b[0m \x1b]0;title\x07 \xff\r\n")

    assert tail.text(Secrets(())) == "Error \\u{1b}]0;title\\u{7} \ufffd"


def test_a_quotation_is_indented_and_short() -> None:
    assert quoted("") == ""
    assert quoted("one\ntwo") == ":\n  one\n  two"
    assert len(quoted("x" * 10_000)) < 2_100


def test_a_secret_is_hidden_in_colours_too() -> None:
    tail = Tail(1000)
    tail.append(("token " + "\x1b[0m".join("s3cr3t-word") + " end").encode())

    assert tail.text(Secrets([("TOKEN", "s3cr3t-word")])) == "token [TOKEN] end"


def test_colours_at_the_cut_do_not_show_the_end_of_a_secret() -> None:
    tail = Tail(100)
    tail.append(("x" * 100 + "\x1b[0m".join("s3cr3t-and-very-long") + " end").encode())

    assert "very-long" not in tail.text(Secrets([("TOKEN", "s3cr3t-and-very-long")]))


def test_each_of_several_secrets_is_hidden_and_how_headers_write_it() -> None:
    secrets = secrets_of(
        StdioTarget("server"), {"API_KEYS": "first-key-1,second-key-2", "SCOPES": "repository"}, {}
    )

    said = "first-key-1 c2Vjb25kLWtleS0y repository"
    assert secrets.hide(said) == "[API_KEYS] [API_KEYS] [SCOPES]"
