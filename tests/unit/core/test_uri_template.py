"""Matching is the inverse of expansion: the examples of RFC 6570, and what no expansion gives."""

import pytest

from avow.core.uri_template import MAX_URI_LENGTH, compile_template, is_escaping
from avow.errors import DeclarationError

# RFC 6570, sections 1.2 and 3.2: template and one expansion with the values given there.
EXPANSIONS = [
    ("{var}", "value"),
    ("{hello}", "Hello%20World%21"),
    ("{+var}", "value"),
    ("{+hello}", "Hello%20World!"),
    ("{+path}/here", "/foo/bar/here"),
    ("here?ref={+path}", "here?ref=/foo/bar"),
    ("X{#var}", "X#value"),
    ("X{#hello}", "X#Hello%20World!"),
    ("map?{x,y}", "map?1024,768"),
    ("{x,hello,y}", "1024,Hello%20World%21,768"),
    ("{+x,hello,y}", "1024,Hello%20World!,768"),
    ("{+path,x}/here", "/foo/bar,1024/here"),
    ("{#x,hello,y}", "#1024,Hello%20World!,768"),
    ("{#path,x}/here", "#/foo/bar,1024/here"),
    ("X{.var}", "X.value"),
    ("X{.x,y}", "X.1024.768"),
    ("{/var}", "/value"),
    ("{/var,x}/here", "/value/1024/here"),
    ("{;x,y}", ";x=1024;y=768"),
    ("{;x,y,empty}", ";x=1024;y=768;empty"),
    ("{?x,y}", "?x=1024&y=768"),
    ("{?x,y,empty}", "?x=1024&y=768&empty="),
    ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
    ("{&x,y,empty}", "&x=1024&y=768&empty="),
    ("{var:3}", "val"),
    ("{var:30}", "value"),
    ("{var:4000}", "value"),
    ("{list}", "red,green,blue"),
    ("{list*}", "red,green,blue"),
    ("{keys}", "semi,%3B,dot,.,comma,%2C"),
    ("{keys*}", "semi=%3B,dot=.,comma=%2C"),
    ("{+path:6}/here", "/foo/b/here"),
    ("{+keys}", "semi,;,dot,.,comma,,"),
    ("{#keys*}", "#semi=;,dot=.,comma=,"),
    ("X{.var:3}", "X.val"),
    ("X{.list*}", "X.red.green.blue"),
    ("X{.keys*}", "X.semi=%3B.dot=..comma=%2C"),
    ("{/var:1,var}", "/v/value"),
    ("{/list*,path:4}", "/red/green/blue/%2Ffoo"),
    ("{/keys*}", "/semi=%3B/dot=./comma=%2C"),
    ("{;hello:5}", ";hello=Hello"),
    ("{;list}", ";list=red,green,blue"),
    ("{;list*}", ";list=red;list=green;list=blue"),
    ("{;keys*}", ";semi=%3B;dot=.;comma=%2C"),
    ("{?var:3}", "?var=val"),
    ("{?list*}", "?list=red&list=green&list=blue"),
    ("{?keys*}", "?semi=%3B&dot=.&comma=%2C"),
    ("{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"),
    ("{;empty*}", ";empty"),
    ("O{undef}X", "OX"),
    ("O{empty}X", "OX"),
    ("{?undef,y}", "?y=768"),
    ("{?x,undef}", "?x=1024"),
    ("{x,undef,y}", "1,2"),
    ("file:///a b/é/{x}", "file:///a%20b/%C3%A9/1"),
    ("file:///a b/é/{x}", "file:///a b/é/1"),
    ("a%2fb", "a%2Fb"),
    ("{var:2}", "%C3%A9%C3%A9"),
    ("{semi.colon_%41}", "x"),
    ("{x}", "it's(*)!"),
    ("plain", "plain"),
    ("", ""),
]


# Those of them that are refused on purpose: the value is an absolute path where no path begins.
ABSOLUTE = [
    ("{/list*,path:4}", "/red/green/blue/%2Ffoo"),
    ("here?ref={+path}", "here?ref=/foo/bar"),
    ("{#path,x}/here", "#/foo/bar,1024/here"),
]


@pytest.mark.parametrize(("template", "uri"), EXPANSIONS)
def test_an_expansion_matches_its_template(template: str, uri: str) -> None:
    assert compile_template(template).matches(uri) is ((template, uri) not in ABSOLUTE)


@pytest.mark.parametrize(
    ("template", "uri"),
    [
        ("{var}", "a/b"),
        ("{var}", "a?b"),
        ("{var}", "a#b"),
        ("{var}", "a b"),
        ("{var}", "é"),
        ("{var}", "100%"),
        ("{var}", "%zz"),
        ("{+var}", "a b"),
        ("{+var}", "a\\b"),
        ("x{#var}", "xvalue"),
        ("x{/var}", "xvalue"),
        ("{?x,y}", "?y=1&x=2"),
        ("{?x}", "?z=1"),
        ("{?x}", "x=1"),
        ("{?x}", "?x"),
        ("{;x}", ";"),
        ("{var:3}", "valu"),
        ("{var:3}", "a,b"),
        ("{var:1}", "%C3%A9%C3%A9"),
        ("{/x}", "/a/b"),
        ("a{x}b", "ab "),
        ("file:///project/{path}", "file:///projectx"),
        ("file:///project/{path}", "FILE:///project/x"),
        ("a{x}", "b"),
        ("a b", "a+b"),
        ("é", "%C3%A8"),
    ],
)
def test_what_no_expansion_gives_does_not_match(template: str, uri: str) -> None:
    assert not compile_template(template).matches(uri)


@pytest.mark.parametrize(
    ("template", "uri"),
    [
        ("file:///project/{+path}", "file:///project//etc/passwd"),
        ("file:///project/{path}", "file:///project/%2Fetc%2Fpasswd"),
        ("file:///project/{path}", "file:///project/%2fetc"),
        ("file:///project/{path}", "file:///project/%5Cetc"),
        ("file:///project/{path}", "file:///project/%252Fetc"),
        ("file:///project{/path*}", "file:///project/%2Fetc"),
        ("file:///project{/path*}", "file:///project//etc/passwd"),
        ("file:///project{+path}", "file:///project//etc/passwd"),
        ("file:///project{+path}", "file:///project%2Fetc/passwd"),
        ("file:///project/{+path}", "file:///project/a/%2Fetc"),
        ("file:///project/{path}", "file:///project/a%252F%255Cetc"),
        ("file:///project/{+dir}/{+name}", "file:///project//etc/passwd"),
        ("file:///project/{+dir}{+name}", "file:///project//etc/passwd"),
        ("notes:{name}", "notes:%2Fetc%2Fpasswd"),
        ("notes:{+name}", "notes:/etc/passwd"),
        ("notes:{names}", "notes:a,%2Fetc%2Fpasswd"),
        ("notes:{a,b}", "notes:a,%2Fetc%2Fpasswd"),
        ("notes:{+a,b}", "notes:a,/etc/passwd"),
        ("notes:{name:9}", "notes:%2Fetc"),
        ("notes://x{?file}", "notes://x?file=%2Fetc%2Fpasswd"),
        ("notes://x{?file*}", "notes://x?file=a&file=%2Fetc"),
        ("notes://x{?file*}", "notes://x?other=%2Fetc"),
        ("notes://x{;file}", "notes://x;file=%5Cetc"),
        ("notes://x{#file}", "notes://x#/etc/passwd"),
    ],
)
def test_a_value_is_not_an_absolute_path(template: str, uri: str) -> None:
    """Whoever joins a base and such a value gets the value."""
    assert not compile_template(template).matches(uri)


@pytest.mark.parametrize(
    ("template", "uri"),
    [
        ("file:///project{+path}", "file:///project/a/b"),
        ("file:///project//{path}", "file:///project//a"),
        ("https://api{+path}", "https://api/a@b.c:1/x,y?z"),
        ("https://api{+path}", "https://api?x=a.b"),
        ("https://api{+path}", "https://apix"),
        ("https://{host}/x", "https://a.example%3A1/x"),
        ("https://{+address}", "https://a.example/x"),
        ("https://{host}.example.com/x", "https://a-b.example.com/x"),
        ("notes://note-{name}", "notes://note-v1.2"),
        ("page://{+address}", "page://https://a.example/b"),
        ("page://read/{address}", "page://read/https%3A%2F%2Fa.example%2Fb"),
    ],
)
def test_other_values_are_as_good_as_ever(template: str, uri: str) -> None:
    assert compile_template(template).matches(uri)


@pytest.mark.parametrize(
    ("template", "uri"),
    [
        ("https://api{+path}", "https://api@evil.example/x"),
        ("https://api{+path}", "https://api.evil.example/x"),
        ("https://api{+path}", "https://api:80@evil.example/x"),
        ("https://api{+path}", "https://api%40evil.example/x"),
        ("https://api{+path}", "https://apix,@evil.example/x"),
        ("https://api{+path:20}", "https://api@evil.example/x"),
        ("notes://api{+path}", "notes://api@evil.example/x"),
        ("https://api{path}", "https://api.evil.example"),
        ("HTTPS://api{path}", "HTTPS://api.evil.example"),
        ("https://{+part}.example.com/x", "https://evil.example/.example.com/x"),
        ("https://{+part}.example.com/x", "https://evil.example?.example.com/x"),
        ("https://{part}.example.com/x", "https://evil%2F.example.com/x"),
        ("https://{+a}{+b}.example.com/x", "https://evil.example/.example.com/x"),
    ],
)
def test_a_value_does_not_lead_to_another_host(template: str, uri: str) -> None:
    assert not compile_template(template).matches(uri)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "}",
        "{x",
        "x}",
        "{}",
        "{x y}",
        "{=x}",
        "{x:0}",
        "{x:}",
        "{x**}",
        "{,}",
        "{x,}",
        "{{x}}",
        "{.}",
        "{x..y}",
    ],
)
def test_what_is_no_template_is_refused(text: str) -> None:
    with pytest.raises(DeclarationError):
        compile_template(text)


@pytest.mark.parametrize("text", ["x" * 3000, "{" + ",".join("x" * 50) + "}", "{x}" * 50])
def test_a_template_that_is_too_large_is_refused(text: str) -> None:
    with pytest.raises(DeclarationError, match="too large"):
        compile_template(text)


def test_a_uri_that_is_too_long_matches_nothing() -> None:
    assert compile_template("{x}").matches("x" * MAX_URI_LENGTH)
    assert not compile_template("{x}").matches("x" * (MAX_URI_LENGTH + 1))


@pytest.mark.parametrize(
    "uri",
    [
        "file:///project/../x",
        "file:///project/..",
        "..",
        "file:///project/%2e%2e/x",
        "file:///project/%2E%2e/x",
        "file:///project/.%2e/x",
        "file:///project/..%2fx",
        "file:///project/..%5cx",
        "file:///project/..\\x",
        "file:///project/a%2f..%2f..%2fx",
        "file:///project/%252e%252e%252fx",
        "file:///project/%25252e%25252e/x",
        "file:///project/..;a=b/x",
        "file:///project/.. /x",
        "file:///project/..%20/x",
        "x://y?path=../x",
        "x://y#../x",
        "file:///project/a%00.txt",
        "file:///project/a%0a",
        "file:///project/\x7f",
        "file:///project/%" + "25" * 20 + "2e",
    ],
)
def test_a_uri_that_climbs_or_hides_something_escapes(uri: str) -> None:
    assert is_escaping(uri)


@pytest.mark.parametrize(
    "uri", ["file:///a..b", "file:///...", "file:///a/.b", "v1..v2", "a%20b", "100%", "%ff%fe"]
)
def test_dots_in_names_do_not_escape(uri: str) -> None:
    assert not is_escaping(uri)


@pytest.mark.parametrize(
    ("template", "uri"),
    [
        ("{" + ",".join(f"a{number}*" for number in range(30)) + "}", "a=," * 2700),
        ("{+a}{+b}{+c}{+d}{+e}{+f}{+g}{+h}", "/" * 8000 + " "),
        ("{?a*,b*,c*,d*}", "?" + "a=1&" * 2000),
    ],
)
def test_matching_takes_time_in_proportion(template: str, uri: str) -> None:
    """A backtracking matcher would not come back from these."""
    compiled = compile_template(template)

    assert isinstance(compiled.matches(uri), bool)
