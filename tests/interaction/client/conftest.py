"""Every test here is a conversation on asyncio, with a cache of its own."""

from pathlib import Path

import pytest

from avow.core.snapshot import Era


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=list(Era))
def era(request: pytest.FixtureRequest) -> Era:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(autouse=True)
def cache_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "avow" / "signatures"
