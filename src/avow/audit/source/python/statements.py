"""Python's statements in the terms of the audit."""

import ast
from collections.abc import Iterable, Iterator

from avow.audit.source.bounds import LONGEST_CHAIN
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
    Several,
    Statement,
    Switch,
)
from avow.audit.source.python.expressions import Expressions
from avow.audit.source.spans import Span


class Reader(Expressions):
    """Reads the statements of one file."""

    def statement(self, node: ast.stmt) -> Iterator[Statement]:
        """One statement, which may be several in our terms, or none."""
        span = self.span(node)
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield self._function(node, span)
            case ast.ClassDef():
                bases = tuple(map(self.expression, node.bases))
                yield Class(span, node.name, self.body(node.body), bases)
            case ast.Return():
                yield Return(span, self.expression(node.value) if node.value else None)
            case ast.Raise():
                yield Raise(span, self.expression(node.exc) if node.exc else None)
            case ast.Delete():
                yield from (Delete(span, self.expression(target)) for target in node.targets)
            case ast.Assign():
                before = self._budget.left
                value = self.expression(node.value)
                size = before - self._budget.left
                for target in self._few(node.targets, size):
                    yield from self._assign(span, target, value, size)
            case ast.AnnAssign() if node.value is not None:
                yield Assign(span, self.expression(node.target), self.expression(node.value))
            case ast.AugAssign():
                yield Assign(span, self.expression(node.target), self.expression(node.value))
            case ast.If():
                yield If(span, self.expression(node.test), self.body(node.body), self.body(node.orelse))
            case ast.Match():
                cases = tuple((self._values(case.pattern), self.body(case.body)) for case in node.cases)
                yield Switch(span, self.expression(node.subject), cases)
            case ast.Assert():
                # An assertion raises where its test fails.
                otherwise: tuple[Statement, ...] = (Raise(span),)
                yield If(span, self.expression(node.test), (), otherwise)
            case ast.Expr():
                yield Evaluate(span, self.expression(node.value))
            case ast.For() | ast.AsyncFor():
                before = self._budget.left
                value = self.expression(node.iter)
                taken = self._assign(span, node.target, value, before - self._budget.left)
                inner = (*taken, *self.body(node.body))
                yield Block(span, (), (*inner, *self.body(node.orelse)))
            case ast.While():
                yield Block(span, (self.expression(node.test),), self.body([*node.body, *node.orelse]))
            case ast.With() | ast.AsyncWith():
                yield Block(span, (), (*self._entered(node.items, span), *self.body(node.body)))
            case ast.Try() | ast.TryStar():
                handled = [inner for handler in node.handlers for inner in handler.body]
                yield Block(span, (), self.body([*node.body, *handled, *node.orelse, *node.finalbody]))
            case _:
                return

    def body(self, statements: Iterable[ast.stmt]) -> tuple[Statement, ...]:
        """Several statements; one that is nested too deep is left out, and remembered."""
        found: list[Statement] = []
        outside = self.bound
        for statement in statements:
            # What an expression gives a name by the way has it from then on: `if (found := look()):`.
            self.bound = []
            try:
                read = list(self.statement(statement))
            except RecursionError:
                self.is_whole = False
            else:
                found.extend((*self.bound, *read))
        self.bound = outside
        return tuple(found)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, span: Span) -> Function:
        decorators = tuple(map(self.expression, node.decorator_list))
        parameters = self.parameters(node.args)
        return Function(
            span, node.name, parameters, self.body(node.body), decorators, tuple(_contexts(node.args))
        )

    def _assign(self, span: Span, target: ast.expr, value: Expression, size: int = 1) -> Iterator[Statement]:
        if isinstance(target, ast.Tuple | ast.List):
            for number, part in enumerate(self._few(target.elts, size)):
                inner = part.value if isinstance(part, ast.Starred) else part
                yield from self._assign(span, inner, self._element(span, value, number, target), size)
        else:
            yield Assign(span, self.expression(target), value)

    def _element(
        self, span: Span, value: Expression, number: int, target: ast.Tuple | ast.List
    ) -> Expression:
        """What one of several targets gets; where the values are written out, one of them."""
        if isinstance(value, Several) and len(value.items) == len(target.elts):
            return value.items[number]
        return Item(span, value, Literal(span, number))

    def _few(self, targets: list[ast.expr], size: int) -> list[ast.expr]:
        """Each of them stands for the whole value, and whoever walks through reads that each time."""
        if len(targets) > LONGEST_CHAIN:
            self.is_whole = False
        few = targets[:LONGEST_CHAIN]
        self._budget.spend(size * len(few))
        return few

    def _entered(self, items: Iterable[ast.withitem], span: Span) -> Iterator[Statement]:
        for item in items:
            before = self._budget.left
            value = self.expression(item.context_expr)
            if item.optional_vars is None:
                yield Evaluate(span, value)
            else:
                yield from self._assign(span, item.optional_vars, value, before - self._budget.left)

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
                    Comparison(self.span(pattern), "==", key, value)
                    for key, values in zip(keys, inner, strict=True)
                    for value in values or (Other(self.span(pattern)),)
                )
            case ast.MatchAs(pattern=None):
                return ()
            case ast.MatchAs(pattern=inner) if inner is not None:
                return self._values(inner)
            case _:
                return (Other(self.span(pattern)),)


def _contexts(arguments: ast.arguments) -> Iterator[str]:
    """The parameters that are a session's context, whatever they are called: `c: Context`."""
    for part in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        for inner in ast.walk(part.annotation) if part.annotation is not None else ():
            match inner:
                case (
                    ast.Name(id="Context" | "ServerSession") | ast.Attribute(attr="Context" | "ServerSession")
                ):
                    yield part.arg
                case _:
                    pass
