"""Finding the settings of the project one works in."""

from pathlib import Path

import pytest

from avow.core.drift.model import DriftType
from avow.core.policy import Policy
from avow.core.severity import Severity
from avow.errors import StorageError, UsageError
from avow.system.settings import Settings, read_settings

ALLOW = """
fail_on = "moderate"

[severity]
tool_removed = "moderate"

[[allow]]
name = "search"
reason = "announced"
expires = 2026-12-31

[gate]
since = 2026-01-01T00:00:00Z
hours = [08:00:00]
"""


def test_no_settings_are_the_default(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()

    assert read_settings(tmp_path) == Settings()


def test_a_file_of_its_own(tmp_path: Path) -> None:
    """Dates in TOML become the text that rules are made of."""
    (tmp_path / "avow.toml").write_text(ALLOW)

    settings = read_settings(tmp_path)

    assert settings.path == tmp_path / "avow.toml"
    assert settings.policy.fail_on == Severity.MODERATE
    assert settings.policy.severities == {DriftType.TOOL_REMOVED: Severity.MODERATE}
    assert settings.policy.allow[0].expires == "2026-12-31"
    assert settings.policy.gate == {"since": "2026-01-01T00:00:00+00:00", "hours": ["08:00:00"]}


def test_a_table_in_the_project_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.avow]\nfail_on = "safe"\n')

    assert read_settings(tmp_path) == Settings(Policy(fail_on=Severity.SAFE), tmp_path / "pyproject.toml")


def test_the_nearest_settings_win_and_the_repository_is_the_limit(tmp_path: Path) -> None:
    """What lies above the repository is somebody else's."""
    (tmp_path / "avow.toml").write_text('fail_on = "info"')
    inner = tmp_path / "repository" / "package" / "src"
    inner.mkdir(parents=True)
    (tmp_path / "repository" / "package" / "pyproject.toml").write_text('[project]\nname = "x"\n')

    assert read_settings(inner).policy.fail_on == Severity.INFO

    (tmp_path / "repository" / ".git").touch()
    assert read_settings(inner) == Settings()

    (tmp_path / "repository" / "avow.toml").write_text('fail_on = "safe"')
    assert read_settings(inner).policy.fail_on == Severity.SAFE


def test_two_places_in_one_directory_are_one_too_many(tmp_path: Path) -> None:
    (tmp_path / "avow.toml").touch()
    (tmp_path / "pyproject.toml").write_text("[tool.avow]\n")

    with pytest.raises(UsageError, match="both"):
        read_settings(tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("avow.toml", "fail_on =", "not valid TOML"),
        ("avow.toml", "fail_onn = 1", "'fail_onn'"),
        ("pyproject.toml", "[tool]\navow = 1", "not a table"),
        ("pyproject.toml", "[tool.avow.sevrity]", "'sevrity'"),
    ],
)
def test_a_mistake_is_named_with_its_file(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    (tmp_path / name).write_text(text)

    with pytest.raises(UsageError, match=complaint) as caught:
        read_settings(tmp_path)

    assert name in caught.value.message


def test_other_tools_and_odd_files_are_none_of_our_business(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text("tool = 1\n")

    assert read_settings(tmp_path) == Settings()


@pytest.mark.parametrize(
    "text",
    [
        f"a{'.a' * 100_000} = 1",
        f"x = {{ a{' . a' * 50_000} = 1 }}",
        f"[{'.'.join(['a'] * 50_000)}]",
        f"""a{".'b'" * 50_000} = 1""",
        f"a = {'9' * 100_000}",
        f"a = {'[' * 100_000}",
        f"a = {'{a=' * 50_000}",
    ],
    ids=["key", "inline", "table", "quoted", "digits", "brackets", "braces"],
)
def test_settings_that_exhaust_a_parser_are_refused(tmp_path: Path, text: str) -> None:
    """The tree that one works in may be somebody else's: a parser would take minutes, or give up oddly."""
    (tmp_path / "avow.toml").write_text(text)

    with pytest.raises(UsageError, match="not valid TOML"):
        read_settings(tmp_path)


def test_settings_without_end_are_refused(tmp_path: Path) -> None:
    (tmp_path / "avow.toml").write_bytes(b"#" * (5 * 1024 * 1024))

    with pytest.raises(StorageError, match="larger"):
        read_settings(tmp_path)
