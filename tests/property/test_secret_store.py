"""Laws of the encrypted file: it reads back what it wrote; damaged, it gives that or an error of ours."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avow.errors import AvowError
from avow.system.secret_store.encrypted import EncryptedFile

SERVER = "github#sha256:1"


@pytest.fixture(autouse=True, scope="module")
def key_file() -> Iterator[None]:
    """No passphrase of this machine plays a part."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AVOW_PASSPHRASE", "AVOW_PASSPHRASE_FILE", "CREDENTIALS_DIRECTORY"):
            patch.delenv(name, raising=False)
        yield


def opened(directory: str) -> EncryptedFile:
    return EncryptedFile(Path(directory, "secrets.json"), Path(directory, "keys", "secrets.key"))


names = st.text(min_size=1, max_size=20).filter(lambda text: text.isprintable())


@settings(max_examples=40, deadline=None)
@given(names, names, st.text(max_size=200))
def test_what_is_written_is_read_back(server: str, key: str, value: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        opened(directory).set(server, key, value)

        assert opened(directory).get(server, key) == value
        assert opened(directory).list(server) == (key,)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_damage_never_gives_another_secret(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as directory:
        opened(directory).set(SERVER, "TOKEN", "the-only-secret")
        path = Path(directory, "secrets.json")
        content = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 3))):
            place = data.draw(st.integers(0, len(content) - 1))
            content[place] = data.draw(st.integers(0, 255))
        path.write_bytes(content[: data.draw(st.sampled_from([None, len(content) // 2]))])

        try:
            found = opened(directory).get(SERVER, "TOKEN")
        except AvowError:
            return
        assert found in ("the-only-secret", None)
