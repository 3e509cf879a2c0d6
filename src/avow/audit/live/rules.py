"""The rules that probes go by, all of them.

Where one asks for more than the specification does, its summary says so.
"""

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
    Level.MEDIUM,
    "A capability is declared, and there is nothing in it: the specification lets a list be empty, "
    "but who has none need not declare it.",
)
UNDECLARED_SERVED: Final = _rule(
    103,
    "undeclared-but-served",
    Pattern.MINIMAL_DECLARATION,
    Level.MEDIUM,
    "A method is served that no capability declares.",
)
SIGNATURE_VIOLATED: Final = _rule(
    104,
    "signature-violated",
    Pattern.MINIMAL_DECLARATION,
    Level.HIGH,
    "The server lists something outside the signature that it declares, or that is not what it says.",
)
GROWS_BY_CLAIM: Final = _rule(
    110,
    "grows-by-claim",
    Pattern.FEATURE_GRANTS,
    Level.HIGH,
    "The server offers more to a client that claims features, which any client can.",
)
DIFFERS_BY_NAME: Final = _rule(
    111,
    "differs-by-client-name",
    Pattern.FEATURE_GRANTS,
    Level.MEDIUM,
    "What the server offers depends on what the client calls itself, which nobody has verified.",
)
UNSOLICITED_REQUEST: Final = _rule(
    120,
    "unsolicited-request",
    Pattern.CLIENT_CAPABILITIES,
    Level.MEDIUM,
    "The server asks for sampling, roots or elicitation, which the client did not declare.",
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
    "The first protocol version gets all that the newest gets: the specification allows it, but a downgrade "
    "is then free.",
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
    "Lists are served before `initialize`: the specification tells clients not to ask, and leaves it to "
    "servers to refuse.",
)
LIST_BEFORE_INITIALIZED: Final = _rule(
    141,
    "served-before-initialized",
    Pattern.INITIALIZATION,
    Level.MEDIUM,
    "Lists are served before `notifications/initialized`: the specification does not forbid it, but a "
    "session is active only when both sides have said so.",
)
CALL_BEFORE_INITIALIZED: Final = _rule(
    142,
    "called-before-initialized",
    Pattern.INITIALIZATION,
    Level.HIGH,
    "A call is carried out before the session is active, past whatever is checked at its start.",
)
INITIALIZED_TWICE: Final = _rule(
    143,
    "initialized-twice",
    Pattern.INITIALIZATION,
    Level.MEDIUM,
    "A second `initialize` is accepted in a session: the specification has one, and does not say what "
    "becomes of another.",
)
UNDECLARED_CLIENT_META: Final = _rule(
    144,
    "stateless-meta-unchecked",
    Pattern.INITIALIZATION,
    Level.MEDIUM,
    "A stateless request is answered although it does not say what the client can do.",
)
BAD_HEADERS: Final = _rule(
    145,
    "stateless-headers-unchecked",
    Pattern.INITIALIZATION,
    Level.MEDIUM,
    "A stateless request is answered although its headers leave out, or contradict, what its body asks for.",
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
    BAD_HEADERS,
)
