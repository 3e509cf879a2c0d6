"""Where hashes of the log are stored: one after the other, as they become known."""

from avow.core.tlog.tree import Node, new_nodes
from avow.registry.store.log import place


def test_hashes_are_numbered_in_the_order_in_which_they_become_known() -> None:
    """A table that only grows at its end."""

    def nothing(node: Node) -> bytes:
        raise KeyError(node)

    nodes = [node for node, _ in new_nodes(0, [b"x" * 32] * 300, nothing)]
    assert [place(node) for node in nodes] == list(range(len(nodes)))
