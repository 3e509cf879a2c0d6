"""What JSON can say, as hypothesis strategies that the laws share."""

from hypothesis import strategies as st

SAFE = 2**53 - 1

# Every character that UTF-8 can carry, and more often those where orders, escapes and planes meet.
characters = st.one_of(
    st.characters(exclude_categories=["Cs"]),
    st.sampled_from('az"\\/\x00\b\x1f\x7f\x80é\u2028\ud7ff\ue000\ufb33\uffff\U00010000\U0001f600\U0010ffff'),
)
texts = st.text(characters, max_size=6)
safe_integers = st.integers(-SAFE, SAFE)
large_integers = st.integers(2**53, 10**40).flatmap(lambda size: st.sampled_from([size, -size]))
doubles = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [0.0, -0.0, 1.0, 10.0, 1e-6, 1e-7, 5e-324, 1e20, 1e21, 1e22, 123456789012345680000.0, float(2**53)]
)


def documents(
    *scalars: st.SearchStrategy[object], keys: st.SearchStrategy[str] = texts
) -> st.SearchStrategy[object]:
    """Values made of these scalars, and of arrays and objects of them."""
    return st.recursive(
        st.one_of(st.none(), st.booleans(), *scalars),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=5),
        max_leaves=15,
    )


json_values = documents(texts, safe_integers, large_integers, doubles)
"""Every kind of value that `parse_json` can give."""

interoperable_values = documents(texts, safe_integers, doubles)
"""What every implementation of RFC 8785 writes in the same way."""
