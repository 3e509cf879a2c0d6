"""Python's expressions in the terms of the audit."""

import ast
from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Final

from avow.audit.model import Place
from avow.audit.source.code import (
    Call,
    Choice,
    Comparison,
    Expression,
    Function,
    Item,
    Joined,
    Literal,
    Member,
    Name,
    Not,
    Other,
    Record,
    Return,
    Several,
)

_OPERATORS: Final = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "==",
    ast.IsNot: "!=",
}


class Expressions:
    """Reads the expressions of one file."""

    def __init__(self, path: str, text: str) -> None:
        """Places are in the file at `path`, which holds `text`."""
        self._path = path
        self._lines = () if text.isascii() else tuple(line.encode() for line in text.split("\n"))

    def place(self, node: ast.expr | ast.stmt | ast.pattern) -> Place:
        """Where a node stands."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return Place(
            self._path,
            node.lineno,
            self._column(node.lineno, node.col_offset),
            end_line,
            self._column(end_line, end_column),
        )

    def _column(self, line: int, offset: int) -> int:
        """The parser counts bytes from 0; people count characters from 1."""
        if line > len(self._lines):
            return offset + 1
        return len(self._lines[line - 1][:offset].decode(errors="ignore")) + 1

    def expression(self, node: ast.expr) -> Expression:
        """One expression."""
        place = self.place(node)
        match node:
            case ast.Name():
                return Name(place, node.id)
            case ast.Constant(value=str() | int() | float() | bool() | None as value):
                return Literal(place, value)
            case ast.Attribute():
                return Member(place, self.expression(node.value), node.attr)
            case ast.Subscript():
                return self._item(node, place)
            case ast.Call():
                return self._call(node, place)
            case ast.Dict():
                return self._record(node, place)
            case ast.List() | ast.Tuple() | ast.Set():
                return Several(place, self._all(node.elts))
            case ast.IfExp():
                then, otherwise = self.expression(node.body), self.expression(node.orelse)
                return Choice(place, self.expression(node.test), then, otherwise)
            case ast.BoolOp():
                operator = "and" if isinstance(node.op, ast.And) else "or"
                return reduce(
                    lambda left, right: Joined(place, operator, left, right), self._all(node.values)
                )
            case ast.UnaryOp(op=ast.Not()):
                return Not(place, self.expression(node.operand))
            case ast.Compare():
                return self._comparison(node, place)
            case ast.Await() | ast.Starred() | ast.NamedExpr():
                return self.expression(node.value)
            case ast.Lambda():
                body = Return(place, self.expression(node.body))
                return Function(place, "", self.parameters(node.args), (body,))
            case _:
                return Other(place, self._all(_inside(node)))

    def parameters(self, arguments: ast.arguments) -> tuple[str, ...]:
        """The names of a function's parameters."""
        parts = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        return tuple(part.arg for part in parts)

    def _all(self, nodes: Iterable[ast.expr]) -> tuple[Expression, ...]:
        return tuple(map(self.expression, nodes))

    def _item(self, node: ast.Subscript, place: Place) -> Expression:
        value = self.expression(node.value)
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            return Member(place, value, node.slice.value)
        return Item(place, value, self.expression(node.slice))

    def _call(self, node: ast.Call, place: Place) -> Expression:
        match node:
            case ast.Call(
                func=ast.Attribute(value=holder, attr="get"), args=[ast.Constant(value=str() as name), *_]
            ):
                return Member(place, self.expression(holder), name)
            case ast.Call(func=ast.Name(id="getattr"), args=[holder, ast.Constant(value=str() as name), *_]):
                return Member(place, self.expression(holder), name)
            case _:
                named = tuple((word.arg or "", self.expression(word.value)) for word in node.keywords)
                return Call(place, self.expression(node.func), self._all(node.args), named)

    def _record(self, node: ast.Dict, place: Place) -> Expression:
        entries: list[tuple[str | None, Expression]] = []
        for key, value in zip(node.keys, node.values, strict=True):
            match key:
                case None:
                    entries.append((None, self.expression(value)))
                case ast.Constant(value=str() as name):
                    entries.append((name, self.expression(value)))
                case _:
                    parts = (self.expression(key), self.expression(value))
                    entries.append(("", Other(self.place(key), parts)))
        return Record(place, tuple(entries))

    def _comparison(self, node: ast.Compare, place: Place) -> Expression:
        pairs: list[Expression] = []
        left = self.expression(node.left)
        for operator, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.expression(right_node)
            pairs.append(Comparison(place, _OPERATORS[type(operator)], left, right))
            left = right
        return reduce(lambda one, two: Joined(place, "and", one, two), pairs)


def _inside(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions directly inside a node, whatever stands between."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
        else:
            yield from _inside(child)
