"""Python's expressions in the terms of the audit."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import Final

from avow.audit.source.bounds import LONGEST_CHAIN, Budget
from avow.audit.source.code import (
    Assign,
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
from avow.audit.source.spans import Source, Span

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
    """Reads the expressions of one file; `is_whole` tells whether it could read all of it."""

    is_whole = True

    def __init__(self, source: Source, budget: Budget) -> None:
        """Spans are in this source."""
        self._source = source
        self._budget = budget
        self._starts = source.starts
        self.bound: list[Assign] = []

    def span(self, node: ast.expr | ast.stmt | ast.pattern) -> Span:
        """Where a node stands."""
        starts = self._starts
        start = starts[node.lineno - 1] + node.col_offset
        if node.end_lineno is None or node.end_col_offset is None:
            return Span(self._source, start, start)
        return Span(self._source, start, starts[node.end_lineno - 1] + node.end_col_offset)

    def expression(self, node: ast.expr) -> Expression:
        """One expression."""
        self._budget.spend()
        span = self.span(node)
        match node:
            case ast.Name():
                return Name(span, node.id)
            case ast.Constant(value=str() | int() | float() | bool() | None as value):
                return Literal(span, value)
            case ast.Attribute():
                return Member(span, self.expression(node.value), node.attr)
            case ast.Subscript():
                return self._item(node, span)
            case ast.Call():
                return self._call(node, span)
            case ast.Dict():
                return self._record(node, span)
            case ast.List() | ast.Tuple() | ast.Set():
                return Several(span, self._all(node.elts))
            case ast.IfExp():
                then, otherwise = self.expression(node.body), self.expression(node.orelse)
                return Choice(span, self.expression(node.test), then, otherwise)
            case ast.BoolOp():
                operator = "and" if isinstance(node.op, ast.And) else "or"
                return self._joined(span, operator, self._all(node.values))
            case ast.BinOp():
                return self._binary(node, span)
            case ast.UnaryOp(op=ast.Not()):
                return Not(span, self.expression(node.operand))
            case ast.Compare():
                return self._comparison(node, span)
            case ast.Await() | ast.Starred():
                return self.expression(node.value)
            case ast.NamedExpr():
                bound = self.expression(node.value)
                self.bound.append(Assign(span, Name(span, node.target.id), bound))
                return bound
            case ast.Lambda():
                body = Return(span, self.expression(node.body))
                return Function(span, "", self.parameters(node.args), (body,))
            case _:
                return Other(span, self._all(_inside(node)))

    def parameters(self, arguments: ast.arguments) -> tuple[str, ...]:
        """The names of a function's parameters."""
        parts = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        return tuple(part.arg for part in parts)

    def _all(self, nodes: Iterable[ast.expr]) -> tuple[Expression, ...]:
        return tuple(map(self.expression, nodes))

    def _binary(self, node: ast.BinOp, span: Span) -> Expression:
        """`a + b + c + …` is read without going deeper at each; `a | b` of two records spreads both."""
        rights: list[ast.expr] = []
        is_union = isinstance(node.op, ast.BitOr)
        left: ast.expr = node
        while isinstance(left, ast.BinOp):
            rights.append(left.right)
            left = left.left
        parts = self._all((left, *reversed(rights)))
        if is_union and any(isinstance(part, Record) for part in parts):
            return Record(span, tuple((None, part) for part in parts))
        return Other(span, parts)

    def _item(self, node: ast.Subscript, span: Span) -> Expression:
        value = self.expression(node.value)
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            return Member(span, value, node.slice.value)
        return Item(span, value, self.expression(node.slice))

    def _call(self, node: ast.Call, span: Span) -> Expression:
        match node:
            case ast.Call(
                func=ast.Attribute(value=holder, attr="get"), args=[ast.Constant(value=str() as name), *_]
            ):
                return Member(span, self.expression(holder), name)
            case ast.Call(func=ast.Name(id="getattr"), args=[holder, ast.Constant(value=str() as name), *_]):
                return Member(span, self.expression(holder), name)
            case _:
                named = tuple((word.arg or "", self.expression(word.value)) for word in node.keywords)
                return Call(span, self.expression(node.func), self._all(node.args), named)

    def _record(self, node: ast.Dict, span: Span) -> Expression:
        entries: list[tuple[str | None, Expression]] = []
        for key, value in zip(node.keys, node.values, strict=True):
            match key:
                case None:
                    entries.append((None, self.expression(value)))
                case ast.Constant(value=str() as name):
                    entries.append((name, self.expression(value)))
                case _:
                    parts = (self.expression(key), self.expression(value))
                    entries.append(("", Other(self.span(key), parts)))
        return Record(span, tuple(entries))

    def _comparison(self, node: ast.Compare, span: Span) -> Expression:
        pairs: list[Expression] = []
        left = self.expression(node.left)
        for operator, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.expression(right_node)
            pairs.append(Comparison(span, _OPERATORS[type(operator)], left, right))
            left = right
        return self._joined(span, "and", pairs)

    def _joined(self, span: Span, operator: str, parts: Sequence[Expression]) -> Expression:
        if len(parts) > LONGEST_CHAIN:
            # Nested as deep as it is long, and whoever walks through it goes that deep.
            self.is_whole = False
            return Other(span, tuple(parts))
        return reduce(lambda one, two: Joined(span, operator, one, two), parts)


def _inside(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions directly inside a node, whatever stands between."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
        else:
            yield from _inside(child)
