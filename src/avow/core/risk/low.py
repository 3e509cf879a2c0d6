"""What a party that is trusted little may still use: tools that are rated `low`."""

from typing import Final

from avow.core.capability import Capability
from avow.core.risk import Level, level_of

# Rating takes longer than looking up, and a server may change its tools for ever.
_MOST: Final = 10_000


class LowTools:
    """Tells which tools are rated `low`; each is rated once, while there is room to remember it."""

    def __init__(self) -> None:
        """Nothing is rated yet."""
        self._ratings: dict[str, bool] = {}

    def __contains__(self, tool: Capability) -> bool:
        """Whether the tool is rated `low`."""
        if tool.digest not in self._ratings:
            if len(self._ratings) >= _MOST:
                self._ratings.clear()
            self._ratings[tool.digest] = level_of(tool) is Level.LOW
        return self._ratings[tool.digest]
