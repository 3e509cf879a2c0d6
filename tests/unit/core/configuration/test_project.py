"""What a project says about a server, as somebody agrees to it."""

from avow.core.configuration.project import ProjectConfiguration


def test_whoever_has_seen_values_has_seen_no_others() -> None:
    seen = ProjectConfiguration({"A": "1", "B": ("x", "y")}, {"loud": {"A": "2"}})

    assert seen.digest == ProjectConfiguration({"B": ["x", "y"], "A": "1"}, {"loud": {"A": "2"}}).digest
    for other in (
        ProjectConfiguration({"A": "1", "B": "x"}, {"loud": {"A": "2"}}),
        ProjectConfiguration({"A": "1", "B": ("x", "y")}, {"loud": {"A": "3"}}),
        ProjectConfiguration({"A": "1", "B": ("x", "y")}, {"loud": {"A": "2"}}, "loud"),
        ProjectConfiguration(),
    ):
        assert other.digest != seen.digest
