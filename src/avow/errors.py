"""Everything Avow raises on purpose; a caller fixes the input, refuses, or retries.

AvowError(message, hint="")           exit code 2: could not do its job
├─ MalformedInputError                the bytes are wrong: somebody has to fix them
│  ├─ DeclarationError                a server declared something that cannot be read as capabilities
│  ├─ LockfileError                   a lockfile cannot be read, or is not what it says it is
│  ├─ PeerProtocolError               the other side does not speak the protocol
│  └─ UsageError                      the user asked for something that makes no sense
├─ VerificationError                  a proof does not hold: refuse
│  ├─ SignatureError
│  └─ UntrustedKeyError
└─ UnavailableError                   the world is not ready: retry, or repair it first
   ├─ RegistryUnavailableError        a registry cannot be reached, or cannot answer now
   ├─ ServerLaunchError               a server did not start, or went away
   ├─ ServerTimeoutError              a server did not answer in time
   └─ StorageError                    a file cannot be read or written
"""


class AvowError(Exception):
    """A failure that Avow explains: what went wrong, and what to do next."""

    def __init__(self, message: str, hint: str = "") -> None:
        """Keep the message and the hint apart, so that every output format can show both."""
        super().__init__(message)
        self.message = message
        self.hint = hint


class MalformedInputError(AvowError):
    """The bytes that came in are not what they should be."""


class DeclarationError(MalformedInputError):
    """A server declared something that cannot be read as capabilities."""


class LockfileError(MalformedInputError):
    """A lockfile cannot be read, or is not what it says it is."""


class PeerProtocolError(MalformedInputError):
    """The other side sent something that the protocol does not allow."""


class UsageError(MalformedInputError):
    """What the user asked for makes no sense, or names something that is not there."""


class VerificationError(AvowError):
    """A proof does not hold."""


class SignatureError(VerificationError):
    """A signature does not fit the bytes it is said to sign."""


class UntrustedKeyError(VerificationError):
    """The signature is good, but nobody here trusts the key that made it."""


class UnavailableError(AvowError):
    """The world is not ready for what was asked."""


class RegistryUnavailableError(UnavailableError):
    """A registry cannot be reached, or cannot answer now."""


class ServerLaunchError(UnavailableError):
    """A server did not start, or went away before it answered."""


class ServerTimeoutError(UnavailableError):
    """A server did not answer in time."""


class StorageError(UnavailableError):
    """A file cannot be read or written."""
