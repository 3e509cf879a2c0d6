"""Which functions stand around a piece of code."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from avow.audit.source.code import Function, Node


class Nesting:
    """The functions of a unit by where they stand; each knows the one around it."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        """Take the functions out of all nodes."""
        found = [node for node in nodes if isinstance(node, Function)]
        self._functions = sorted(found, key=lambda one: (one.span.start, -one.span.end))
        self._starts = [one.span.start for one in self._functions]
        self._outer: list[int] = []
        open_: list[int] = []
        for place, function in enumerate(self._functions):
            while open_ and self._functions[open_[-1]].span.end < function.span.end:
                open_.pop()
            self._outer.append(open_[-1] if open_ else -1)
            open_.append(place)

    def around(self, node: Node) -> Iterator[Function]:
        """The functions around a node, the innermost first; a function stands around itself."""
        place = bisect_right(self._starts, node.span.start) - 1
        while place >= 0:
            function = self._functions[place]
            if node.span.end <= function.span.end:
                yield function
            place = self._outer[place]
