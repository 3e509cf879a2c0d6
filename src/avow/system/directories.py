"""Where Avow keeps what belongs to a person: configuration, data, and what it has to remember."""

import os
import sys
from pathlib import Path


def config_directory() -> Path:
    """Where what somebody configured is kept."""
    if sys.platform == "linux":
        return _of_linux("XDG_CONFIG_HOME", ".config")
    from platformdirs import user_config_path

    return user_config_path("avow")


def data_directory() -> Path:
    """Where what Avow keeps for somebody is."""
    if sys.platform == "linux":
        return _of_linux("XDG_DATA_HOME", ".local/share")
    from platformdirs import user_data_path

    return user_data_path("avow")


def state_directory() -> Path:
    """Where Avow remembers what it saw last."""
    if sys.platform == "linux":
        return _of_linux("XDG_STATE_HOME", ".local/state")
    from platformdirs import user_state_path

    return user_state_path("avow")


def _of_linux(variable: str, usual: str) -> Path:
    """As the library says it, which takes longer to load than all the rest of a start."""
    given = os.environ.get(variable, "").strip()
    return (Path(given) if given else Path.home() / usual) / "avow"
