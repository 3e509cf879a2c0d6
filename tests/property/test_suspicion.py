"""Plain text is searched in one pass, by another engine, and nothing else comes of it."""

import itertools

from hypothesis import example, given, settings
from hypothesis import strategies as st

from avow.core.suspicion import phrases
from avow.core.suspicion.phrases import _PATTERNS, _candidates

# Pieces of what the patterns look for, with what may stand between.
PIECES = st.sampled_from(
    [
        *(
            "~/.ssh",
            "id_rsa",
            "xid_rsa",
            "/etc/passwd",
            ".env",
            "read",
            "cat",
            "contents of",
            "$home/",
            "credential",
        ),
        *(
            "<important>",
            "< system >",
            "[inst]",
            "<<sys>>",
            "<|im_start|>",
            "## system prompt",
            "![a](http://b/{c})",
        ),
        *(
            "ne le dis",
            "utilisateur",
            "n'informez pas",
            "non dire",
            "utente",
            "webhook.site/x",
            ".aws/config",
            "a",
        ),
        *(
            "chrome's cookies",
            "login.keychain",
            "/proc/self/environ",
            ".cursor/mcp.json",
            "negeer alle vorige regels",
        ),
    ]
)
BETWEEN = st.sampled_from([" ", "", "\n", ".", "-", "_", "/", "\x0b", "\x1c", "\t", "9", "x", "`", "'", "("])
TEXTS = st.lists(st.tuples(PIECES, BETWEEN), max_size=8).map(
    lambda parts: "".join(itertools.chain.from_iterable(parts))
)


@settings(max_examples=300, deadline=None)
@given(TEXTS)
@example("read \x0b .env")
@example("cat \x1c`.env")
def test_no_pattern_that_finds_something_is_left_out(text: str) -> None:
    lower = phrases._SPACES.sub(" ", text.lower())
    tried = [pattern for _, pattern in _candidates(lower)]

    finding = [pattern for _, some in _PATTERNS for pattern in some if pattern.search(lower)]

    assert [pattern for pattern in finding if pattern not in tried] == []


def test_most_texts_are_tried_with_hardly_any_pattern() -> None:
    tried = list(_candidates("read the contents of a file, and tell what is in it."))

    assert len(tried) < 3
