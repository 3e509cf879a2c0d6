"""JavaScript's and TypeScript's expressions in the terms of the audit."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

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
    Statement,
)
from avow.audit.source.spans import Source, Span

if TYPE_CHECKING:
    from tree_sitter import Node

_COMPARISONS: Final = {
    "==": "==",
    "===": "==",
    "!=": "!=",
    "!==": "!=",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
    "in": "in",
}
_JOINS: Final = {"&&": "and", "||": "or", "??": "??"}
# Around a value, and nothing to do with it.
_WRAPPINGS: Final = frozenset(
    {"parenthesized_expression", "await_expression", "as_expression", "satisfies_expression"}
    | {"non_null_expression", "spread_element", "expression_statement"}
)
_FUNCTIONS: Final = frozenset(
    {"arrow_function", "function_expression", "function_declaration", "method_definition"}
    | {"generator_function", "generator_function_declaration", "function"}
)
_WORDS: Final = frozenset(
    {"identifier", "property_identifier", "private_property_identifier", "this", "super"}
    | {"shorthand_property_identifier", "shorthand_property_identifier_pattern"}
)
_LITERALS: Final = {"true": True, "false": False, "null": None, "undefined": None}


class Expressions:
    """Reads the expressions of one file; `is_whole` tells whether it could read all of it."""

    is_whole = True

    def __init__(self, source: Source, budget: Budget) -> None:
        """Spans are in this source."""
        self._source = source
        self._budget = budget
        self._data = source.data

    def span(self, node: "Node") -> Span:
        """Where a node stands."""
        return Span(self._source, node.start_byte, node.end_byte)

    def expression(self, node: "Node") -> Expression:
        """One expression."""
        self._budget.spend()
        kind = node.type
        if kind in _WRAPPINGS:
            inner = node.named_child(0)
            while inner is not None and inner.type == "comment":
                inner = inner.next_named_sibling
            return self.expression(inner) if inner is not None else Other(self.span(node))
        if kind in _WORDS:
            text = self.text(node)
            return Literal(self.span(node), None) if text == "undefined" else Name(self.span(node), text)
        if kind in _LITERALS:
            return Literal(self.span(node), _LITERALS[kind])
        if kind in _FUNCTIONS:
            return self.function(node)
        read = getattr(self, f"_{kind}", None)
        if read is not None:
            found: Expression = read(node, self.span(node))
            return found
        return Other(self.span(node), tuple(self._inside(node)))

    def function(self, node: "Node") -> Function:
        """A function of any form; what its parameters take apart is assigned at its beginning."""
        name = node.child_by_field_name("name")
        parameters: list[str] = []
        taken: list[Statement] = []
        for number, part in enumerate(self._parameters(node)):
            pattern = part.child_by_field_name("pattern") or part
            left = pattern.child_by_field_name("left")
            pattern = left if left is not None else pattern
            if pattern.type in ("object_pattern", "array_pattern"):
                parameters.append(f"parameter {number}")
                taken.extend(self.taken_apart(pattern, Name(self.span(pattern), parameters[-1])))
            else:
                parameters.append(self.text(pattern))
        body = node.child_by_field_name("body")
        inner: tuple[Statement, ...] = ()
        if body is not None and body.type == "statement_block":
            inner = self.body(body.named_children)
        elif body is not None and (assigned := _assignment(body)) is not None:
            inner = tuple(self.effect(assigned))
        elif body is not None:
            inner = (Return(self.span(body), self.expression(body)),)
        title = self.text(name) if name is not None else ""
        return Function(self.span(node), title, tuple(parameters), (*taken, *inner))

    def taken_apart(self, pattern: "Node", value: Expression, size: int = 1) -> Iterator[Statement]:
        """The assignments that `{ a, b: { c } } = value` stands for; the value has so many expressions."""
        span = self.span(pattern)
        # Each part stands for the whole value, and whoever walks through reads that each time.
        parts = pattern.named_children[:LONGEST_CHAIN]
        if len(parts) < len(pattern.named_children):
            self.is_whole = False
        self._budget.spend(size * len(parts))
        match pattern.type:
            case "object_pattern":
                for part in parts:
                    yield from self._property(part, value, size)
            case "array_pattern":
                for number, part in enumerate(parts):
                    yield from self.taken_apart(part, element(span, value, number), size)
            case "assignment_pattern" | "object_assignment_pattern":
                left = pattern.child_by_field_name("left")
                if left is not None:
                    yield from self.taken_apart(left, value, size)
            case "identifier" | "shorthand_property_identifier_pattern":
                yield Assign(span, Name(span, self.text(pattern)), value)
            case "member_expression" | "subscript_expression":
                yield Assign(span, self.expression(pattern), value)
            case _:
                pass

    def body(self, nodes: Iterable["Node"]) -> tuple[Statement, ...]:
        """Several statements."""
        raise NotImplementedError

    def effect(self, node: "Node") -> Iterator[Statement]:
        """An expression that stands alone."""
        raise NotImplementedError

    def text(self, node: "Node") -> str:
        """The text of a node."""
        return self._data[node.start_byte : node.end_byte].decode(errors="replace")

    def _property(self, part: "Node", value: Expression, size: int) -> Iterator[Statement]:
        span = self.span(part)
        match part.type:
            case "shorthand_property_identifier_pattern":
                name = self.text(part)
                yield Assign(span, Name(span, name), Member(span, value, name))
            case "object_assignment_pattern":
                left = part.child_by_field_name("left")
                if left is not None:
                    yield from self._property(left, value, size)
            case "pair_pattern":
                key, inner = part.child_by_field_name("key"), part.child_by_field_name("value")
                if key is not None and inner is not None:
                    yield from self.taken_apart(inner, Member(span, value, self._key(key)), size)
            case _:
                pass

    def _parameters(self, node: "Node") -> list["Node"]:
        single = node.child_by_field_name("parameter")
        if single is not None:
            return [single]
        several = node.child_by_field_name("parameters")
        return list(several.named_children) if several is not None else []

    def _inside(self, node: "Node") -> Iterator[Expression]:
        for child in node.named_children:
            if child.type not in ("type_annotation", "type_arguments", "comment"):
                yield self.expression(child)

    def _key(self, node: "Node") -> str:
        text = self.text(node)
        return text[1:-1] if node.type == "string" else text

    def _string(self, node: "Node", span: Span) -> Expression:
        return Literal(span, self.text(node)[1:-1])

    def _number(self, node: "Node", span: Span) -> Expression:
        try:
            return Literal(span, float(self.text(node).replace("_", "")))
        except ValueError:
            return Literal(span, self.text(node))

    def _template_string(self, node: "Node", span: Span) -> Expression:
        parts = tuple(
            self.expression(inner)
            for child in node.named_children
            if child.type == "template_substitution"
            for inner in child.named_children
        )
        return Other(span, parts) if parts else Literal(span, self.text(node)[1:-1])

    def _member_expression(self, node: "Node", span: Span) -> Expression:
        holder, name = node.child_by_field_name("object"), node.child_by_field_name("property")
        if holder is None or name is None:
            return Other(span)
        return Member(span, self.expression(holder), self.text(name))

    def _subscript_expression(self, node: "Node", span: Span) -> Expression:
        holder, index = node.child_by_field_name("object"), node.child_by_field_name("index")
        if holder is None or index is None:
            return Other(span)
        if index.type == "string":
            return Member(span, self.expression(holder), self.text(index)[1:-1])
        return Item(span, self.expression(holder), self.expression(index))

    def _call_expression(self, node: "Node", span: Span) -> Expression:
        """A call; `this.a(b).c(d)` is a call of a member of a call."""
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        arguments = node.child_by_field_name("arguments")
        if function is None:
            return Other(span)
        given = arguments.named_children if arguments is not None else []
        values = tuple(self.expression(one) for one in given if one.type != "comment")
        return Call(span, self.expression(function), values)

    _new_expression = _call_expression

    def _object(self, node: "Node", span: Span) -> Expression:
        entries: list[tuple[str | None, Expression]] = []
        for part in node.named_children:
            match part.type:
                case "pair":
                    key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
                    if key is not None and value is not None:
                        entries.append(self._pair(key, value))
                case "shorthand_property_identifier":
                    entries.append((self.text(part), Name(self.span(part), self.text(part))))
                case "spread_element":
                    entries.append((None, self.expression(part)))
                case "method_definition":
                    method = self.function(part)
                    entries.append((method.name, method))
                case _:
                    pass
        return Record(span, tuple(entries))

    def _pair(self, key: "Node", value: "Node") -> tuple[str, Expression]:
        if key.type != "computed_property_name":
            return self._key(key), self.expression(value)
        parts = (*self._inside(key), self.expression(value))
        if isinstance(parts[0], Literal) and isinstance(parts[0].value, str):
            return parts[0].value, parts[-1]
        return "", Other(self.span(key), parts)

    def _array(self, node: "Node", span: Span) -> Expression:
        return Several(span, tuple(self._inside(node)))

    def _ternary_expression(self, node: "Node", span: Span) -> Expression:
        parts = [node.child_by_field_name(name) for name in ("condition", "consequence", "alternative")]
        test, then, otherwise = (self.expression(part) if part is not None else Other(span) for part in parts)
        return Choice(span, test, then, otherwise)

    def _binary_expression(self, node: "Node", _: Span) -> Expression:
        """Operators with their operands; `a + b + c + …` is read without going deeper at each."""
        waiting: list[Node] = []
        while node.type == "binary_expression" and (left := node.child_by_field_name("left")) is not None:
            waiting.append(node)
            node = left
        found = self.expression(node)
        if len(waiting) > LONGEST_CHAIN:
            # Nested as deep as it is long, and whoever walks through it goes that deep.
            rights = [right for outer in waiting if (right := outer.child_by_field_name("right")) is not None]
            self.is_whole = False
            return Other(self.span(waiting[0]), (found, *map(self.expression, reversed(rights))))
        for outer in reversed(waiting):
            found = self._operated(outer, found)
        return found

    def _operated(self, node: "Node", left: Expression) -> Expression:
        right, operator = node.child_by_field_name("right"), node.child_by_field_name("operator")
        span = self.span(node)
        if right is None or operator is None:
            return Other(span, (left,))
        sign, sides = self.text(operator), (left, self.expression(right))
        if sign in _COMPARISONS:
            return Comparison(span, _COMPARISONS[sign], *sides)
        return Joined(span, _JOINS[sign], *sides) if sign in _JOINS else Other(span, sides)

    def _sequence_expression(self, node: "Node", span: Span) -> Expression:
        """Compilers write `(0, module.name)(…)` for a call without an object."""
        parts = tuple(self._inside(node))
        match parts:
            case (Literal(), value):
                return value
            case _:
                return Other(span, parts)

    def _unary_expression(self, node: "Node", span: Span) -> Expression:
        operator, argument = node.child_by_field_name("operator"), node.child_by_field_name("argument")
        if operator is None or argument is None:
            return Other(span)
        inner = self.expression(argument)
        match self.text(operator):
            case "!":
                return Not(span, inner)
            case "typeof":
                # What kind of value it is says nothing about what it says.
                return Call(span, Name(span, "typeof"), (inner,))
            case _:
                return Other(span, (inner,))

    def _assignment_expression(self, node: "Node", span: Span) -> Expression:
        """An assignment inside of something: its value counts, and what it assigns to is a part."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return Other(span)
        if left.type in ("member_expression", "subscript_expression"):
            return Other(span, (self.expression(right), self.expression(left)))
        return self.expression(right)


def element(span: Span, value: Expression, number: int) -> Expression:
    """What stands at a place of a list; where the list is written out, that itself."""
    if isinstance(value, Several) and number < len(value.items):
        return value.items[number]
    return Item(span, value, Literal(span, number))


def _assignment(body: "Node") -> "Node | None":
    """The assignment that a function without braces consists of: `() => (ready = true)`."""
    while body.type == "parenthesized_expression" and body.named_children:
        body = body.named_children[0]
    return body if body.type == "assignment_expression" else None
