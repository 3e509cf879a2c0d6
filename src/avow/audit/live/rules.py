"""The rules that probes go by, all of them."""

from typing import Final

from avow.audit.model import Level, Pattern, RuleInfo


def _rule(number: int, name: str, pattern: Pattern, severity: Level, summary: str) -> RuleInfo:
    return RuleInfo(f"AVW{number}", name, pattern, severity, summary, live=True)


DECLARED_MISSING: Final = _rule(
    101,
    "declared-but-missing",
    Pattern.MINIMAL_DECLARATION,
    Level.MEDIUM,
    "A declared capability's method does not exist.",
)
DECLARED_EMPTY: Final = _rule(
    102,
    "declared-but-empty",
    Pattern.MINIMAL_DECLARATION,
    Level.LOW,
    "A capability is declared, and its list is empty.",
)
UNDECLARED_SERVED: Final = _rule(
    103,
    "undeclared-but-served",
    Pattern.MINIMAL_DECLARATION,
    Level.MEDIUM,
    "A list is served that no capability declares.",
)
SIGNATURE_VIOLATED: Final = _rule(
    104,
    "signature-violated",
    Pattern.MINIMAL_DECLARATION,
    Level.HIGH,
    "The server lists something outside the signature that it declares.",
)
GROWS_BY_CLAIM: Final = _rule(
    110,
    "grows-by-claim",
    Pattern.FEATURE_GRANTS,
    Level.HIGH,
    "The server offers more to a client that claims experimental features.",
)
DIFFERS_BY_NAME: Final = _rule(
    111,
    "differs-by-client-name",
    Pattern.FEATURE_GRANTS,
    Level.MEDIUM,
    "The server's lists depend on what the client calls itself.",
)
UNSOLICITED_REQUEST: Final = _rule(
    120,
    "unsolicited-request",
    Pattern.CLIENT_CAPABILITIES,
    Level.MEDIUM,
    "The server asks for something that the client did not declare.",
)
UNKNOWN_VERSION: Final = _rule(
    130,
    "unknown-version-accepted",
    Pattern.DOWNGRADE,
    Level.HIGH,
    "The server agrees to a protocol version that does not exist.",
)
OLD_VERSION: Final = _rule(
    131,
    "oldest-version-accepted",
    Pattern.DOWNGRADE,
    Level.LOW,
    "The server still agrees to the first protocol version.",
)
BAD_VERSION_META: Final = _rule(
    132,
    "stateless-version-unchecked",
    Pattern.DOWNGRADE,
    Level.MEDIUM,
    "A stateless request is answered although its version is missing, unknown or contradicts the header.",
)
LIST_BEFORE_INITIALIZE: Final = _rule(
    140,
    "served-before-initialize",
    Pattern.INITIALIZATION,
    Level.MEDIUM,
    "Lists are served before `initialize`.",
)
LIST_BEFORE_INITIALIZED: Final = _rule(
    141,
    "served-before-initialized",
    Pattern.INITIALIZATION,
    Level.MEDIUM,
    "Lists are served before `notifications/initialized`.",
)
CALL_BEFORE_INITIALIZED: Final = _rule(
    142,
    "called-before-initialized",
    Pattern.INITIALIZATION,
    Level.HIGH,
    "A call is carried out before the session is active.",
)
INITIALIZED_TWICE: Final = _rule(
    143,
    "initialized-twice",
    Pattern.INITIALIZATION,
    Level.MEDIUM,
    "A second `initialize` is accepted in a session.",
)
UNDECLARED_CLIENT_META: Final = _rule(
    144,
    "stateless-meta-unchecked",
    Pattern.INITIALIZATION,
    Level.LOW,
    "A stateless request is answered although it does not say what the client is and can do.",
)

LIVE: Final[tuple[RuleInfo, ...]] = (
    DECLARED_MISSING,
    DECLARED_EMPTY,
    UNDECLARED_SERVED,
    SIGNATURE_VIOLATED,
    GROWS_BY_CLAIM,
    DIFFERS_BY_NAME,
    UNSOLICITED_REQUEST,
    UNKNOWN_VERSION,
    OLD_VERSION,
    BAD_VERSION_META,
    LIST_BEFORE_INITIALIZE,
    LIST_BEFORE_INITIALIZED,
    CALL_BEFORE_INITIALIZED,
    INITIALIZED_TWICE,
    UNDECLARED_CLIENT_META,
)
