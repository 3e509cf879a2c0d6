"""Brings the tables of a store up to date: Alembic writes the statements, the store runs them."""

import io
from functools import lru_cache
from pathlib import Path
from typing import Final

from avow.errors import StorageError

HEAD: Final = "0001"
"""The newest step; a store that is there loads nothing of Alembic."""

CURRENT: Final = "SELECT version_num FROM alembic_version"

_SCRIPTS: Final = Path(__file__).parent / "schema"


@lru_cache(maxsize=4)
def statements(dialect: str, current: str | None) -> str:
    """What leads from the step `current` to the newest, as statements separated by semicolons.

    Raises:
        StorageError: the store is newer than this program.
    """
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory
    from alembic.util.exc import CommandError

    output = io.StringIO()
    config = Config(output_buffer=output)
    # A percent sign would be read as the start of a reference by the parser of configurations.
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.set_main_option("dialect", dialect)
    try:
        if current is not None:
            ScriptDirectory.from_config(config).get_revision(current)
        command.upgrade(config, f"{current or 'base'}:head", sql=True)
    except CommandError as error:
        raise StorageError(
            f"the store is at step {current!r}, which this version of Avow does not know",
            hint="it was written by a newer Avow: upgrade, or restore a backup",
        ) from error
    return output.getvalue()
