"""Every rule by its id: those over source code, and those that probes of a running server go by."""

from typing import Final

from avow.audit.live.rules import LIVE
from avow.audit.model import RuleInfo
from avow.audit.rules import ALL

RULES: Final[dict[str, RuleInfo]] = {
    **{rule.info.id: rule.info for rule in ALL},
    **{info.id: info for info in LIVE},
}
