"""Finding every text in a value."""

from avow.core.texts import texts


def test_names_and_values_at_any_depth_are_found() -> None:
    value = {"a": ["b", {"c": "d"}], "e": {"f": [1, None, True, 2.5]}}

    assert sorted(texts(value)) == ["a", "b", "c", "d", "e", "f"]


def test_depth_is_no_danger() -> None:
    value: object = "deep"
    for _ in range(100_000):
        value = [value]

    assert list(texts(value)) == ["deep"]
