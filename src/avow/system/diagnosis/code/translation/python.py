"""Python's syntax tree, translated into the small language."""

import ast
import warnings
from collections.abc import Iterator, Sequence
from functools import partial

from avow.system.diagnosis.code import syntax as s

_OPERATORS = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "==",
    ast.IsNot: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Mod: "%",
    ast.BitOr: "|",
}


def translate(source: bytes) -> Sequence[s.Statement]:
    """The statements of a module.

    Raises:
        SyntaxError: it is not Python that we can read.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source)
        except (ValueError, RecursionError, MemoryError) as exc:
            raise SyntaxError(str(exc)) from exc
    return _statements(tree.body, frozenset())


def _statements(body: Sequence[ast.stmt], outer: frozenset[str]) -> list[s.Statement]:
    return [translated for node in body for translated in _statement(node, outer)]


def _statement(node: ast.stmt, outer: frozenset[str]) -> Iterator[s.Statement]:
    """One statement; `outer` are the names that belong to a scope around this one."""
    line = node.lineno
    inner = partial(_statements, outer=outer)
    match node:
        case ast.Expr(value):
            yield s.Evaluate(_expression(value), line=line)
        case ast.Assign(targets, value):
            for target in targets:
                yield _assign(target, _expression(value), outer, line)
        case ast.AnnAssign(target, _, value):
            if value is not None:
                yield _assign(target, _expression(value), outer, line)
        case ast.AugAssign(target, operator, value):
            sign = _OPERATORS.get(type(operator), "?")
            yield s.Assign(_target(target), _expression(value), declares=False, operator=sign, line=line)
        case ast.If(test, body, orelse):
            yield s.If(_expression(test), inner(body), inner(orelse), line=line)
        case ast.For(target, items, body, orelse) | ast.AsyncFor(target, items, body, orelse):
            yield s.ForEach(_target(target), _expression(items), inner(body), line=line)
            yield from inner(orelse)
        case ast.While(test, body):
            yield s.While(_expression(test), inner(body), line=line)
        case ast.With(items, body) | ast.AsyncWith(items, body):
            for item in items:
                opened = _expression(item.context_expr)
                if item.optional_vars is None:
                    yield s.Evaluate(opened, line=line)
                else:
                    yield _assign(item.optional_vars, opened, outer, line)
            yield s.Block(inner(body), line=line)
        case ast.Try(body, handlers, orelse, final):
            translated = [_handler(handler, outer) for handler in handlers]
            yield s.Try([*inner(body), *inner(orelse)], translated, inner(final), line=line)
        case ast.Raise(exc):
            yield s.Throw(None if exc is None else _expression(exc), line=line)
        case ast.Assert(test, message):
            error = s.Call(s.Name("AssertionError"), [_expression(message)] if message else [], line=line)
            yield s.If(s.Not(_expression(test), line=line), [s.Throw(error, line=line)], line=line)
        case ast.Return(value):
            yield s.Return(None if value is None else _expression(value), line=line)
        case ast.Break():
            yield s.Leave(line=line)
        case ast.Continue():
            yield s.Leave(again=True, line=line)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield s.Assign(s.Name(node.name), _function(node), declares=node.name not in outer, line=line)
        case ast.ClassDef():
            yield s.Assign(s.Name(node.name), _class(node), line=line)
        case ast.Import(names):
            for name in names:
                whole = name.asname or name.name.partition(".")[0]
                module = name.name if name.asname else whole
                yield s.Import(module, [("*", whole)], line=line)
                if module != name.name:
                    yield s.Import(name.name, [], line=line)
        case ast.ImportFrom(module, names, level):
            pairs = [(name.name, name.asname or name.name) for name in names]
            yield s.Import(module or "", [(there, here) for there, here in pairs], level=level, line=line)
        case ast.Match(subject, cases):
            choices = [(_patterns(case.pattern), [*inner(case.body), s.Leave()]) for case in cases]
            yield s.Switch(_expression(subject), choices, line=line)
        case _:
            return


def _patterns(pattern: ast.pattern) -> list[s.Expression] | None:
    match pattern:
        case ast.MatchValue(value):
            return [_expression(value)]
        case ast.MatchSingleton(value):
            return [s.Literal(value)]
        case ast.MatchOr(patterns):
            found = [_patterns(each) for each in patterns]
            return None if None in found else [value for each in found for value in each or ()]
        case ast.MatchAs(pattern=None):
            return None
        case _:
            return [s.Opaque()]


def _handler(node: ast.ExceptHandler, outer: frozenset[str]) -> s.Handler:
    target = s.Name(node.name) if node.name else None
    types = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type] if node.type else []
    names = [ast.unparse(each).rpartition(".")[2] for each in types]
    return s.Handler(names, target, _statements(node.body, outer))


def _assign(target: ast.expr, value: s.Expression, outer: frozenset[str], line: int) -> s.Assign:
    declares = not (isinstance(target, ast.Name) and target.id in outer)
    return s.Assign(_target(target), value, declares=declares, line=line)


def _target(node: ast.expr) -> s.Target:
    match node:
        case ast.Tuple(items) | ast.List(items):
            rest = next((_target(item.value) for item in items if isinstance(item, ast.Starred)), None)
            plain = [(_target(item), None) for item in items if not isinstance(item, ast.Starred)]
            return s.ItemsPattern(plain, rest)
        case ast.Attribute(value, name):
            return s.Attribute(_expression(value), name, line=node.lineno)
        case ast.Subscript(value, key):
            return s.Index(_expression(value), _expression(key), line=node.lineno)
        case ast.Name(name):
            return s.Name(name, line=node.lineno)
        case _:
            return s.Name("")


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> s.Function:
    def translate_body() -> list[s.Statement]:
        own = (each for each in ast.walk(node) if isinstance(each, ast.Global | ast.Nonlocal))
        return _statements(node.body, frozenset(name for each in own for name in each.names))

    decorators = [_expression(each) for each in node.decorator_list]
    parameters = _parameters(node.args)
    return s.Function(node.name, parameters, translate_body, decorators, line=node.lineno)


def _parameters(given: ast.arguments) -> list[s.Parameter]:
    plain = [*given.posonlyargs, *given.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(given.defaults)) + [*given.defaults]
    named = list(zip([*plain, *given.kwonlyargs], [*defaults, *given.kw_defaults], strict=True))
    found = [
        s.Parameter(
            s.Name(argument.arg),
            None if default is None else _expression(default),
            None if argument.annotation is None else _expression(argument.annotation),
        )
        for argument, default in named
    ]
    if given.vararg:
        found.insert(len(plain), s.Parameter(s.Name(given.vararg.arg), kind="*"))
    if given.kwarg:
        found.append(s.Parameter(s.Name(given.kwarg.arg), kind="**"))
    return found


def _class(node: ast.ClassDef) -> s.Class:
    members = [member for each in node.body for member in _members(each)]
    return s.Class(
        node.name,
        [_expression(base) for base in node.bases],
        members,
        [_expression(each) for each in node.decorator_list],
        _keywords(node.keywords),
        ast.get_docstring(node) or "",
        line=node.lineno,
    )


def _members(node: ast.stmt) -> Iterator[s.Member]:
    match node:
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
            decorators = {ast.unparse(each).rpartition(".")[2] for each in node.decorator_list}
            getter = bool(decorators & {"property", "cached_property"})
            static = bool(decorators & {"staticmethod"})
            yield s.Member(name, _function(node), static=static, getter=getter)
        case ast.AnnAssign(ast.Name(name), annotation, value):
            yield s.Member(name, None if value is None else _expression(value), _expression(annotation))
        case ast.Assign([ast.Name(name)], value):
            yield s.Member(name, _expression(value))
        case ast.ClassDef(name):
            yield s.Member(name, _class(node))
        case _:
            return


def _keywords(nodes: Sequence[ast.keyword]) -> list[tuple[str, s.Expression]]:
    return [(node.arg or "**", _expression(node.value)) for node in nodes]


def _expression(node: ast.expr) -> s.Expression:
    line = node.lineno
    match node:
        case ast.Constant(value):
            if value is None or isinstance(value, str | int | float | bool):
                return s.Literal(value, line=line)
            return s.Name("Ellipsis", line=line) if value is ... else s.Opaque(line=line)
        case ast.Name(name):
            return s.Name(name, line=line)
        case ast.Attribute(value, name):
            return s.Attribute(_expression(value), name, line=line)
        case ast.Subscript(value, ast.Slice(lower, upper)):
            bounds = [_expression(bound) if bound else s.Literal(None) for bound in (lower, upper)]
            return s.Call(s.Attribute(_expression(value), "slice", line=line), bounds, line=line)
        case ast.Subscript(value, key):
            return s.Index(_expression(value), _expression(key), strict=True, line=line)
        case ast.Call(function, arguments, keywords):
            given = [_expression(argument) for argument in arguments]
            return s.Call(_expression(function), given, _keywords(keywords), line=line)
        case ast.Starred(value):
            return s.Spread(_expression(value), line=line)
        case ast.BoolOp(operator, values):
            return _folded("or" if isinstance(operator, ast.Or) else "and", values, line)
        case ast.UnaryOp(ast.Not(), operand):
            return s.Not(_expression(operand), line=line)
        case ast.UnaryOp(ast.USub(), ast.Constant(int(value) | float(value))):
            return s.Literal(-value, line=line)
        case ast.IfExp(test, body, orelse):
            return s.Conditional(_expression(test), _expression(body), _expression(orelse), line=line)
        case ast.Compare(left, [operator], [right]):
            return s.Binary(_OPERATORS[type(operator)], _expression(left), _expression(right), line=line)
        case ast.BinOp(left, operator, right):
            sign = _OPERATORS.get(type(operator), "?")
            return s.Binary(sign, _expression(left), _expression(right), line=line)
        case ast.JoinedStr(values):
            return s.Text([_expression(value) for value in values], line=line)
        case ast.FormattedValue(value):
            return _expression(value)
        case ast.List(items) | ast.Tuple(items) | ast.Set(items):
            return s.Items([_expression(item) for item in items], line=line)
        case ast.Dict(keys, values):
            pairs = zip(keys, values, strict=True)
            return s.Mapped([(_expression(k) if k else None, _expression(v)) for k, v in pairs], line=line)
        case _:
            return _rarer(node, line)


def _rarer(node: ast.expr, line: int) -> s.Expression:
    match node:
        case (
            ast.ListComp(element, [first])
            | ast.SetComp(element, [first])
            | ast.GeneratorExp(element, [first])
        ):
            return _comprehension(first, _expression(element), None, line)
        case ast.DictComp(key, value, [first]):
            return _comprehension(first, _expression(value), _expression(key), line)
        case ast.NamedExpr(target, value):
            return s.Assigned(_target(target), _expression(value), line=line)
        case ast.Await(value) | ast.YieldFrom(value):
            return _expression(value)
        case ast.Yield(value):
            return _expression(value) if value else s.Literal(None, line=line)
        case ast.Lambda(given, body):
            return s.Function(
                "", _parameters(given), lambda: [s.Return(_expression(body))], is_arrow=True, line=line
            )
        case _:
            parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
            return s.Opaque([_expression(part) for part in parts], line=line)


def _comprehension(
    loop: ast.comprehension, element: s.Expression, key: s.Expression | None, line: int
) -> s.Expression:
    tests = [_expression(test) for test in loop.ifs]
    return s.Comprehension(_target(loop.target), _expression(loop.iter), tests, element, key, line=line)


def _folded(operator: str, values: Sequence[ast.expr], line: int) -> s.Expression:
    first, *others = values
    folded = _expression(first)
    for value in others:
        folded = s.Logic(operator, folded, _expression(value), line=line)
    return folded
