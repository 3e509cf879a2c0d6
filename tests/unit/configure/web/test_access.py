"""Who may talk to the form."""

from http.cookies import SimpleCookie

from avow.configure.web.access import Access


def ticket_of(access: Access) -> str:
    return access.link.partition("ticket=")[2]


def test_the_link_works_once() -> None:
    access = Access(4711)
    ticket = ticket_of(access)

    assert access.redeem("something else") is None
    assert access.redeem(ticket) is not None
    assert access.redeem(ticket) is None


def test_the_cookie_is_strict_hidden_from_scripts_and_bound_to_a_secret_path() -> None:
    access = Access(4711)
    cookie = access.redeem(ticket_of(access)) or ""

    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert f"Path={access.home}" in cookie
    assert len(access.home) > 12


def test_only_our_own_cookie_is_known() -> None:
    access, other = Access(4711), Access(4711)
    cookie = SimpleCookie(access.redeem(ticket_of(access)) or "")
    header = "; ".join(f"{name}={morsel.value}" for name, morsel in cookie.items())

    assert access.is_known(header)
    assert access.is_known(f"theme=dark; {header}")
    assert not other.is_known(header)
    assert not access.is_known(None)
    assert not access.is_known("avow-4711=")
    assert not access.is_known("avow-4711=\u00e9; =;;;")


def test_a_name_that_leads_here_is_not_this_machine() -> None:
    access = Access(4711)

    assert access.is_our_host("127.0.0.1:4711")
    assert access.is_our_host("localhost:4711")
    assert not access.is_our_host("evil.example:4711")
    assert not access.is_our_host("127.0.0.1")
    assert not access.is_our_host(None)


def test_a_form_of_another_page_is_not_ours() -> None:
    access = Access(4711)

    assert access.is_our_origin(None)
    assert access.is_our_origin("http://127.0.0.1:4711")
    assert not access.is_our_origin("null")
    assert not access.is_our_origin("http://127.0.0.1:4712")
    assert access.is_our_word(access.word)
    assert not access.is_our_word("")
