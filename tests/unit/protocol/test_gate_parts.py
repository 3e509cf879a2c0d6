"""The small parts of the gate that remember things, and how they forget."""

from avow.core.capability import Kind
from avow.core.severity import Severity
from avow.protocol.events import event
from avow.protocol.gate.knowledge import Knowledge
from avow.protocol.gate.lists import JudgedPage, judge_page, read_page
from avow.protocol.gate.pending import Listing, PendingTable
from avow.protocol.gate.policy import OnChanged
from avow.protocol.gate.signature import is_advertised
from conversations import ECHO, Stage, answered, line, locked

PAGE = JudgedPage(None, frozenset(), None, frozenset(), frozenset(), ())


def test_pages_that_nobody_asks_for_are_forgotten() -> None:
    knowledge = Knowledge(locked())
    for number in range(40):
        knowledge.remember(Kind.TOOL, False, b"%d" % number, PAGE)
        assert knowledge.remembered(Kind.TOOL, False, b"0") is PAGE

    assert knowledge.remembered(Kind.TOOL, False, b"1") is None
    assert knowledge.remembered(Kind.TOOL, True, b"39") is None
    assert knowledge.remembered(Kind.PROMPT, False, b"39") is None


def test_pages_are_forgotten_by_their_size_too() -> None:
    knowledge = Knowledge(locked())
    half = 1024 * 1024
    knowledge.remember(Kind.TOOL, False, b"a" * half, PAGE)
    knowledge.remember(Kind.TOOL, False, b"b" * half, PAGE)
    knowledge.remember(Kind.TOOL, False, b"c" * half, PAGE)
    knowledge.remember(Kind.TOOL, False, b"d" * half * 3, PAGE)

    found = [knowledge.remembered(Kind.TOOL, False, letter * half) for letter in (b"a", b"b", b"c")]
    assert found == [None, PAGE, PAGE]
    assert knowledge.remembered(Kind.TOOL, False, b"d" * half * 3) is None


def test_a_walk_counts_only_for_the_list_that_it_began_with() -> None:
    knowledge = Knowledge(locked())
    walk = Listing(Kind.TOOL, knowledge.generation(Kind.TOOL), b"claims")
    assert knowledge.finished(walk)
    assert knowledge.is_verified(Kind.TOOL, b"claims")
    assert not knowledge.is_verified(Kind.TOOL, b"others")

    knowledge.expire()

    assert not knowledge.is_verified(Kind.TOOL, b"claims")
    assert not knowledge.finished(walk)


def test_what_looks_as_approved_again_is_no_longer_changed() -> None:
    knowledge = Knowledge(locked())
    for definition, changed in (({**ECHO, "x": 1}, True), (ECHO, False)):
        page = read_page(Kind.TOOL, line({"tools": [definition]}))
        knowledge.saw(Listing(Kind.TOOL, 0), judge_page(page, locked(), OnChanged.BLOCK))
        assert knowledge.is_changed(Kind.TOOL, "echo", b"") is changed
        assert not knowledge.is_changed(Kind.TOOL, "echo", b"others")


def test_only_so_many_different_clients_are_kept_in_mind() -> None:
    knowledge = Knowledge(locked())
    for number in range(100):
        assert knowledge.finished(Listing(Kind.TOOL, 0, b"%d" % number))

    assert not knowledge.is_verified(Kind.TOOL, b"0")
    assert knowledge.is_verified(Kind.TOOL, b"99")


def test_an_id_that_was_given_up_is_expected_once() -> None:
    table: PendingTable[str] = PendingTable(2)
    table.add(1, "a")
    table.give_up(1)
    table.give_up(99)

    assert 1 in table
    assert table.was_given_up(1)
    assert not table.was_given_up(1)
    assert 99 not in table
    assert table.drain() == []


def test_an_event_says_nothing_about_what_it_does_not_concern() -> None:
    assert event("x", Severity.INFO).document() == {"event": "x", "severity": "info"}


def test_a_server_that_was_never_asked_advertises_nothing() -> None:
    assert not is_advertised(None)
    assert not is_advertised({"extensions": []})
    assert is_advertised({"extensions": {"dev.avow/signature": {}}})


def test_an_unreadable_answer_to_something_that_was_never_asked_changes_nothing() -> None:
    stage = Stage(contract=locked()).open()

    stage.serve(b'{"jsonrpc":"2.0","id":"avow/gate/77","result":{},"result":{}}')
    stage.serve(answered("avow/gate/77"))

    assert len(stage.got) == 1
    assert "result" in stage.call()
