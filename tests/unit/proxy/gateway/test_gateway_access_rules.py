"""Names, pages and tokens, as values."""

from hashlib import sha256

import pytest

from avow.proxy.gateway.access import Access, Denied, answered_names, is_loopback


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.2", False),
        ("localhost.example", False),
        ("", False),
    ],
)
def test_which_addresses_only_this_machine_reaches(host: str, local: bool) -> None:
    assert is_loopback(host) is local


def test_an_address_for_everybody_adds_no_name() -> None:
    assert "0.0.0.0" not in answered_names("0.0.0.0", ())
    assert {"10.0.0.1", "mcp.example"} <= answered_names("10.0.0.1", ("MCP.example",))


@pytest.mark.parametrize(
    "host", [b"localhost/x", b"localhost?x", b"a@localhost", b"[", b"\xff", b"localhost#x@evil"]
)
def test_a_host_that_is_no_plain_name_is_not_answered(host: bytes) -> None:
    denied = Access().judge_place({b"host": host})

    assert denied is None or denied.status == 421
    assert denied is not None or host == b"localhost#x@evil"


def test_the_caller_is_known_by_the_digest_of_the_token() -> None:
    token = sha256(b"secret").digest()
    access = Access(tokens=(sha256(b"other").digest(), token))

    assert access.judge_caller({b"authorization": b"Bearer secret"}) == token
    assert isinstance(access.judge_caller({b"authorization": b"Bearer Secret"}), Denied)
    assert isinstance(access.judge_caller({}), Denied)
    assert Access().judge_caller({}) == b""
    assert "secret" not in repr(access)
    assert repr(token) not in repr(access)
