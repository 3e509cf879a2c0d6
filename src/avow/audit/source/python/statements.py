"""Python's statements in the terms of the audit."""

import ast
from collections.abc import Iterable, Iterator

from avow.audit.model import Place
from avow.audit.source.code import (
    Assign,
    Block,
    Class,
    Comparison,
    Delete,
    Evaluate,
    Expression,
    Function,
    If,
    Item,
    Literal,
    Other,
    Raise,
    Return,
    Statement,
    Switch,
)
from avow.audit.source.python.expressions import Expressions


class Reader(Expressions):
    """Reads the statements of one file."""

    def statement(self, node: ast.stmt) -> Iterator[Statement]:
        """One statement, which may be several in our terms, or none."""
        place = self.place(node)
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield self._function(node, place)
            case ast.ClassDef():
                yield Class(place, node.name, self.body(node.body))
            case ast.Return():
                yield Return(place, self.expression(node.value) if node.value else None)
            case ast.Raise():
                yield Raise(place, self.expression(node.exc) if node.exc else None)
            case ast.Delete():
                yield from (Delete(place, self.expression(target)) for target in node.targets)
            case ast.Assign():
                for target in node.targets:
                    yield from self._assign(place, target, self.expression(node.value))
            case ast.AnnAssign() if node.value is not None:
                yield Assign(place, self.expression(node.target), self.expression(node.value))
            case ast.AugAssign():
                yield Assign(place, self.expression(node.target), self.expression(node.value))
            case ast.If():
                yield If(place, self.expression(node.test), self.body(node.body), self.body(node.orelse))
            case ast.Match():
                cases = tuple((self._values(case.pattern), self.body(case.body)) for case in node.cases)
                yield Switch(place, self.expression(node.subject), cases)
            case ast.Assert():
                # An assertion raises where its test fails.
                otherwise: tuple[Statement, ...] = (Raise(place),)
                yield If(place, self.expression(node.test), (), otherwise)
            case ast.Expr():
                yield Evaluate(place, self.expression(node.value))
            case ast.For() | ast.AsyncFor():
                inner = (*self._assign(place, node.target, self.expression(node.iter)), *self.body(node.body))
                yield Block(place, (), (*inner, *self.body(node.orelse)))
            case ast.While():
                yield Block(place, (self.expression(node.test),), self.body([*node.body, *node.orelse]))
            case ast.With() | ast.AsyncWith():
                yield Block(place, (), (*self._entered(node.items, place), *self.body(node.body)))
            case ast.Try() | ast.TryStar():
                handled = [inner for handler in node.handlers for inner in handler.body]
                yield Block(place, (), self.body([*node.body, *handled, *node.orelse, *node.finalbody]))
            case _:
                return

    def body(self, statements: Iterable[ast.stmt]) -> tuple[Statement, ...]:
        """Several statements."""
        return tuple(inner for statement in statements for inner in self.statement(statement))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, place: Place) -> Function:
        decorators = tuple(map(self.expression, node.decorator_list))
        return Function(place, node.name, self.parameters(node.args), self.body(node.body), decorators)

    def _assign(self, place: Place, target: ast.expr, value: Expression) -> Iterator[Statement]:
        if isinstance(target, ast.Tuple | ast.List):
            for number, part in enumerate(target.elts):
                inner = part.value if isinstance(part, ast.Starred) else part
                yield from self._assign(place, inner, Item(place, value, Literal(place, number)))
        else:
            yield Assign(place, self.expression(target), value)

    def _entered(self, items: Iterable[ast.withitem], place: Place) -> Iterator[Statement]:
        for item in items:
            value = self.expression(item.context_expr)
            if item.optional_vars is None:
                yield Evaluate(place, value)
            else:
                yield from self._assign(place, item.optional_vars, value)

    def _values(self, pattern: ast.pattern) -> tuple[Expression, ...]:
        match pattern:
            case ast.MatchValue():
                return (self.expression(pattern.value),)
            case ast.MatchOr():
                return tuple(value for inner in pattern.patterns for value in self._values(inner))
            case ast.MatchMapping():
                keys = map(self.expression, pattern.keys)
                inner = (self._values(part) for part in pattern.patterns)
                return tuple(
                    Comparison(self.place(pattern), "==", key, value)
                    for key, values in zip(keys, inner, strict=True)
                    for value in values
                )
            case ast.MatchAs(pattern=None):
                return ()
            case ast.MatchAs(pattern=inner) if inner is not None:
                return self._values(inner)
            case _:
                return (Other(self.place(pattern)),)
