"""Lines that look more or less like messages, and gates to send them to."""

from hypothesis import strategies as st

from avow.protocol.gate import Gate, GatePolicy
from conversations import Stage, locked

# JSON as text, so that keys can be repeated, escaped and misspelt.

KEYS = ["jsonrpc", "id", "method", "params", "result", "error", "name", "arguments", "_meta", "text", "uri"]
WORDS = ["2.0", "1", "tools/call", "tools/list", "echo", "run_shell", "ping", "\\u0072un_shell", "x/y"]
VALUES = [*(f'"{word}"' for word in WORDS), "1", "null", "true", "1.0", "{}", "[]", "1e999"]


def spelt(key: str) -> st.SearchStrategy[str]:
    return st.sampled_from([key] * 6 + [key.upper(), key.capitalize(), f"\\u{ord(key[0]):04x}{key[1:]}"])


def written(pairs: list[tuple[str, str]], gap: str) -> str:
    return "{" + f",{gap}".join(f'"{key}"{gap}:{value}' for key, value in pairs) + "}"


def texts(depth: int) -> st.SearchStrategy[str]:
    if not depth:
        return st.sampled_from(VALUES)
    pair = st.tuples(st.sampled_from(KEYS).flatmap(spelt), texts(depth - 1))
    return st.sampled_from(VALUES) | st.builds(
        written, st.lists(pair, max_size=5), st.sampled_from(["", " ", "\t", "\r"])
    )


@st.composite
def calls(draw: st.DrawFn) -> bytes:
    """Something like a tool call, with members added, doubled, misspelt or taken away."""
    name = draw(st.sampled_from(['"echo"', '"run_shell"', '"get_time"', '"\\u0065cho"', "5"]))
    params = [("name", name), ("arguments", draw(st.sampled_from(['{"text":"x"}', '{"text":5}', "{}"])))]
    params += draw(st.lists(st.tuples(st.sampled_from(KEYS).flatmap(spelt), texts(1)), max_size=2))
    envelope = [
        ("jsonrpc", '"2.0"'),
        ("id", draw(st.sampled_from(["1", '"a"', "2"]))),
        ("method", '"tools/call"'),
    ]
    gap = draw(st.sampled_from(["", " "]))
    envelope.append(("params", written(draw(st.permutations(params)), gap)))
    envelope += draw(st.lists(st.tuples(st.sampled_from(KEYS).flatmap(spelt), texts(1)), max_size=2))
    return written(draw(st.permutations(envelope)), gap).encode()


@st.composite
def mutated(draw: st.DrawFn, source: st.SearchStrategy[bytes]) -> bytes:
    """A message with a few bytes cut out, doubled or replaced."""
    data = bytearray(draw(source))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, max(len(data) - 1, 0)))
        length = draw(st.integers(0, 8))
        match draw(st.sampled_from(["cut", "double", "replace"])):
            case "cut":
                del data[place : place + length]
            case "double":
                data[place:place] = data[place : place + length]
            case _:
                data[place : place + 1] = draw(
                    st.binary(max_size=2) | st.sampled_from([b'"', b"{", b",", b":", b"\\"])
                )
    return bytes(data)


LINES = mutated(calls()) | texts(3).map(str.encode) | st.binary(max_size=60)


def active(policy: GatePolicy | None = None) -> Gate:
    """A gate that has seen the server's lists."""
    stage = Stage(contract=locked(), policy=policy or GatePolicy()).open()
    stage.names()
    return stage.gate
