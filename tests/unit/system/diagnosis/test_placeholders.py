"""Placeholders have the shape of the real thing, and open nothing."""

from pathlib import Path

import pytest

from avow.core.configuration.model import Binding, Parameter, PathKind, ValueType, Where
from avow.system.diagnosis.placeholders import placeholder


def of(name: str, kind: ValueType = ValueType.STRING, **members: object) -> Parameter:
    return Parameter(name, Binding(Where.ENV, name), kind, **members)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("parameter", "expected"),
    [
        (of("X_URL", ValueType.URL), "http://127.0.0.1:9"),
        (of("POSTGRES_URL", ValueType.URL), "postgresql://nobody:nothing@127.0.0.1:9/nothing"),
        (of("MONGODB_URI", ValueType.URL), "mongodb://127.0.0.1:9/nothing"),
        (of("NEO4J_URI", ValueType.URL), "bolt://127.0.0.1:9"),
        (of("X_EMAIL"), "nobody@example.com"),
        (of("X_PORT"), "9"),
        (of("API_ID"), "1"),
        (of("MODE", choices=("http", "stdio")), "stdio"),
        (of("start", fixed="start"), "start"),
        (of("N", ValueType.NUMBER, minimum=5.0), "5"),
        (of("N", ValueType.INTEGER), "1"),
        (of("B", ValueType.BOOLEAN), "true"),
        (of("NAME", examples=("a", "b")), "a"),
    ],
)
def test_a_placeholder_fits_its_parameter(parameter: Parameter, expected: str, tmp_path: Path) -> None:
    """Addresses lead to a port where nobody answers."""
    assert placeholder(parameter, tmp_path) == expected


def test_a_path_leads_to_something_empty(tmp_path: Path) -> None:
    """A directory, or a file with an empty object, below the home that is thrown away."""
    directory = Path(placeholder(of("VAULT_PATH", ValueType.PATH), tmp_path))
    file = Path(placeholder(of("X_CREDENTIALS", ValueType.PATH, path_kind=PathKind.FILE), tmp_path))

    assert directory.is_dir()
    assert not list(directory.iterdir())
    assert file.read_text(encoding="utf-8") == "{}\n"
    assert tmp_path in file.parents
