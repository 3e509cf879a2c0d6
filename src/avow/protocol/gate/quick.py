"""The two messages that nearly all of a session consists of, decided on with as little work as possible.

A call of a tool and its answer, in an active handshake-era session or in the stateless era, take a short
way here. It is written
flat and adds no rule: whatever it does not recognise is left, untouched, to the general way, and what it
lets pass the general way would let pass with the same bytes and without an event. That holds because

- a call is taken only when it reads back as itself (see `avow.protocol.messages`), so that no reader finds
  anything else in it; it has the four members of a request and params that no reader could mistake; its tool
  was decided on before, by the general way, and nothing new has become known since; its arguments are
  checked by the same checker; what it claims in the stateless era is, to the byte, what a call that took
  the general way claimed; and nothing that came before it is still held;
- an answer is taken only when it is an envelope of three members, spelt out to the byte, around exactly one
  JSON object, so that there is no room for a fourth member; and when a call waits for it: of the answer
  to a call, the general way judges nothing but the envelope and, in the stateless era, what the server
  asks for, which it cannot do without the bytes that are looked for here.

Whoever has the values of a message, and not its bytes, asks about these: the bytes would be written by our
own encoder, so that they need not be read back; and an answer with no members but those of a tool's result
asks for nothing. How large an answer is and how deep, whoever read it from the wire has decided.
"""

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from avow.core.canonical import JsonObject, JsonValue
from avow.core.snapshot import Era
from avow.protocol.gate.calls import DECIDED_ON
from avow.protocol.gate.held import Held
from avow.protocol.gate.pending import Claims, Pending
from avow.protocol.gate.session import Phase, Session
from avow.protocol.gate.stateless import CLAIMED_KEYS, is_modern
from avow.protocol.messages import SAFE_INTEGER, UNREADABLE, encode, is_plain

UNWRITABLE: Final = (UnicodeEncodeError, RecursionError)
"""What the encoder raises for a value that is not JSON."""

_SMALL: Final = 1024
_CALL: Final = "tools/call"
_QUOTED_CALL: Final = b'"tools/call"'
_MEMBERS_OF_A_REQUEST: Final = 4
_MEMBERS_OF_A_RESULT: Final = frozenset({"content", "structuredContent", "isError", "_meta", "resultType"})
_ENVELOPE: Final = len('{"jsonrpc":"2.0","id":-9007199254740991,"method":"tools/call","params":}')

# The two ways to write an answer that are known here: Python's SDK ends with the result, TypeScript's begins
# with it.
_BEFORE_RESULT: Final = re.compile(rb'\{"jsonrpc":"2\.0","id":(0|[1-9][0-9]{0,15}),"result":(?=\{)').match
_RESULT_FIRST: Final = b'{"result":{'
_AFTER_RESULT: Final = re.compile(rb',"jsonrpc":"2\.0","id":(0|[1-9][0-9]{0,15})\}\Z').search
_LONGEST_AFTER: Final = len(',"jsonrpc":"2.0","id":9007199254740991}')

# Looking a member of an enumeration up takes longer than comparing it.
_ACTIVE: Final = Phase.ACTIVE
_AWAITING_INIT: Final = Phase.AWAITING_INIT
_LEGACY: Final = Era.LEGACY
_MODERN: Final = Era.MODERN

_ASKED: Final = b"input_required"
_ESCAPE: Final = b"\\u"

_decode: Final = msgspec.json.Decoder().decode
_decode_one: Final = msgspec.json.Decoder(msgspec.Raw).decode


class Quick:
    """Recognises what surely passes."""

    def __init__(self, session: Session, held: Held) -> None:
        """Look at the lines of one connection first."""
        self._session = session
        self._held = held.queue
        self._pending = session.pending
        self._calls = session.calls
        self._limit = session.policy.limits.message_bytes
        self._small = min(_SMALL, self._limit)
        self._claims: Claims | None = None
        self._entry = Pending(_CALL)
        self._modern: Claims | None = None

    def passes_call(self, line: bytes) -> bool:
        """Whether a line of the client is a call that passes as it came; it then waits for its answer.

        When it is not, nothing has happened.
        """
        if self._held or len(line) > self._small or _QUOTED_CALL not in line or not self._is_usual():
            return False
        try:
            request = _decode(line)
        except UNREADABLE:
            return False
        if (
            type(request) is not dict
            or request.get("method") != _CALL
            or request.get("jsonrpc") != "2.0"
            or len(request) != _MEMBERS_OF_A_REQUEST
            or encode(request) != line
            or not is_plain(line)
        ):
            return False
        request_id, params = request.get("id"), request.get("params")
        if (
            type(request_id) is not int
            or not -SAFE_INTEGER <= request_id <= SAFE_INTEGER
            or type(params) is not dict
            or not params.keys() <= DECIDED_ON
        ):
            return False
        claims = self._claimed(params)
        if claims is None:
            return False
        if claims is not self._claims:
            self._claims, self._entry = claims, Pending(_CALL, claims)
        return self._calls.surely_passes(params, claims.key) and self._pending.admit(request_id, self._entry)

    def passes_call_value(self, request_id: int, params: Mapping[str, JsonValue] | None) -> bool:
        """The same for a call with these params, written by our encoder."""
        if self._held or type(params) is not dict or not params.keys() <= DECIDED_ON or not self._is_usual():
            return False
        try:
            data = encode(params)
        except UNWRITABLE:
            return False
        if len(data) > self._small - _ENVELOPE or not is_plain(data):
            return False
        claims = self._claimed(params)
        if claims is None:
            return False
        if claims is not self._claims:
            self._claims, self._entry = claims, Pending(_CALL, claims)
        passes = self._calls.surely_passes(params, claims.key, data)
        return passes and self._pending.admit(request_id, self._entry)

    def passes_answer_value(self, request_id: int, result: Mapping[str, JsonValue]) -> bool:
        """The same for an answer with this result."""
        entry = self._pending.get(request_id)
        if entry is None or entry.method != _CALL or not self._is_usual():
            return False
        if self._session.era is _LEGACY:
            passes = entry.claims is self._session.claims
        else:
            passes = entry.claims is self._modern and result.keys() <= _MEMBERS_OF_A_RESULT
        if passes:
            self._pending.take(request_id)
        return passes

    def admitted(self, entry: Pending) -> None:
        """A request took the general way and passed: a call that claims the same need not."""
        if entry.method == _CALL and entry.claims is not None and entry.claims.meta is not None:
            self._modern = entry.claims

    def _is_usual(self) -> bool:
        """Whether the connection is in the state in which calls are made."""
        session = self._session
        if session.era is _LEGACY:
            return session.phase is _ACTIVE
        return session.era is _MODERN and session.phase is _AWAITING_INIT

    def _claimed(self, params: JsonObject) -> Claims | None:
        """On whose word a call is made; `None` when that has to be looked at."""
        if self._session.era is _LEGACY:
            return None if "_meta" in params and is_modern(params) else self._session.claims
        meta, known = params.get("_meta"), self._modern
        if known is None or type(meta) is not dict:
            return None
        return known if encode({key: meta[key] for key in CLAIMED_KEYS if key in meta}) == known.key else None

    def passes_answer(self, line: bytes) -> bool:
        """Whether a line of the server is the answer to a call and passes as it came, which ends the wait.

        When it is not, nothing has happened.
        """
        found = _BEFORE_RESULT(line)
        if found is not None:
            start, end = found.end(), len(line) - 1
        elif line.startswith(_RESULT_FIRST):
            found = _AFTER_RESULT(line, max(0, len(line) - _LONGEST_AFTER))
            if found is None:
                return False
            start, end = len(_RESULT_FIRST) - 1, found.start()
        else:
            return False
        request_id = int(found[1])
        entry = self._pending.get(request_id)
        if (
            entry is None
            or entry.method != _CALL
            or not self._is_usual()
            or not self._asks_nothing(entry, line)
            or len(line) > self._limit
            or not line.endswith(b"}")
            or not line.isascii()
            # Between tokens, where JSON allows them: the general way has them replaced.
            or b"\r" in line
            or b"\n" in line
        ):
            return False
        try:
            # Cutting a short line is quicker than looking at a part of it, a long one is not.
            _decode_one((line if len(line) < _SMALL else memoryview(line))[start:end])
        except UNREADABLE:
            return False
        self._pending.take(request_id)
        return True

    def _asks_nothing(self, entry: Pending, line: bytes) -> bool:
        """Whether an answer to a call surely asks the client for nothing."""
        if self._session.era is _LEGACY:
            return entry.claims is self._session.claims
        return entry.claims is self._modern and _ASKED not in line and _ESCAPE not in line
