"""How a session can end."""

from enum import Enum


class Ending(Enum):
    """Why a session is over."""

    CLIENT_LEFT = "client left"
    SERVER_GONE = "server gone"
    REFUSED = "refused"
    SIGNAL = "signal"
