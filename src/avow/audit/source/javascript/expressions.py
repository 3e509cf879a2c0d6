"""JavaScript's and TypeScript's expressions in the terms of the audit."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from avow.audit.model import Place
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
    """Reads the expressions of one file."""

    def __init__(self, path: str, data: bytes) -> None:
        """Places are in the file at `path`, which holds `data`."""
        self._path = path
        self._lines = () if data.isascii() else tuple(data.split(b"\n"))

    def place(self, node: "Node") -> Place:
        """Where a node stands."""
        start, end = node.start_point, node.end_point
        return Place(
            self._path,
            start[0] + 1,
            self._column(start[0], start[1]),
            end[0] + 1,
            self._column(end[0], end[1]),
        )

    def expression(self, node: "Node") -> Expression:
        """One expression."""
        kind = node.type
        if kind in _WRAPPINGS:
            inner = node.named_children
            return self.expression(inner[0]) if inner else Other(self.place(node))
        if kind in _WORDS:
            text = self.text(node)
            return Literal(self.place(node), None) if text == "undefined" else Name(self.place(node), text)
        if kind in _LITERALS:
            return Literal(self.place(node), _LITERALS[kind])
        if kind in _FUNCTIONS:
            return self.function(node)
        read = getattr(self, f"_{kind}", None)
        if read is not None:
            found: Expression = read(node, self.place(node))
            return found
        return Other(self.place(node), tuple(self._inside(node)))

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
                taken.extend(self.taken_apart(pattern, Name(self.place(pattern), parameters[-1])))
            else:
                parameters.append(self.text(pattern))
        body = node.child_by_field_name("body")
        inner: tuple[Statement, ...] = ()
        if body is not None and body.type == "statement_block":
            inner = self.body(body.named_children)
        elif body is not None:
            inner = (Return(self.place(body), self.expression(body)),)
        title = self.text(name) if name is not None else ""
        return Function(self.place(node), title, tuple(parameters), (*taken, *inner))

    def taken_apart(self, pattern: "Node", value: Expression) -> Iterator[Statement]:
        """The assignments that `{ a, b: { c } } = value` stands for."""
        place = self.place(pattern)
        match pattern.type:
            case "object_pattern":
                for part in pattern.named_children:
                    yield from self._property(part, value)
            case "array_pattern":
                for number, part in enumerate(pattern.named_children):
                    yield from self.taken_apart(part, Item(place, value, Literal(place, number)))
            case "assignment_pattern" | "object_assignment_pattern":
                left = pattern.child_by_field_name("left")
                if left is not None:
                    yield from self.taken_apart(left, value)
            case "identifier" | "shorthand_property_identifier_pattern":
                yield Assign(place, Name(place, self.text(pattern)), value)
            case "member_expression" | "subscript_expression":
                yield Assign(place, self.expression(pattern), value)
            case _:
                pass

    def body(self, nodes: Iterable["Node"]) -> tuple[Statement, ...]:
        """Several statements."""
        raise NotImplementedError

    def text(self, node: "Node") -> str:
        """The text of a node."""
        return (node.text or b"").decode(errors="replace")

    def _column(self, line: int, offset: int) -> int:
        """The parser counts bytes from 0; people count characters from 1."""
        if line >= len(self._lines):
            return offset + 1
        return len(self._lines[line][:offset].decode(errors="ignore")) + 1

    def _property(self, part: "Node", value: Expression) -> Iterator[Statement]:
        place = self.place(part)
        match part.type:
            case "shorthand_property_identifier_pattern":
                name = self.text(part)
                yield Assign(place, Name(place, name), Member(place, value, name))
            case "object_assignment_pattern":
                left = part.child_by_field_name("left")
                if left is not None:
                    yield from self._property(left, value)
            case "pair_pattern":
                key, inner = part.child_by_field_name("key"), part.child_by_field_name("value")
                if key is not None and inner is not None:
                    yield from self.taken_apart(inner, Member(place, value, self._key(key)))
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

    def _string(self, node: "Node", place: Place) -> Expression:
        return Literal(place, self.text(node)[1:-1])

    def _number(self, node: "Node", place: Place) -> Expression:
        try:
            return Literal(place, float(self.text(node).replace("_", "")))
        except ValueError:
            return Literal(place, self.text(node))

    def _template_string(self, node: "Node", place: Place) -> Expression:
        parts = tuple(
            self.expression(inner)
            for child in node.named_children
            if child.type == "template_substitution"
            for inner in child.named_children
        )
        return Other(place, parts) if parts else Literal(place, self.text(node)[1:-1])

    def _member_expression(self, node: "Node", place: Place) -> Expression:
        holder, name = node.child_by_field_name("object"), node.child_by_field_name("property")
        if holder is None or name is None:
            return Other(place)
        return Member(place, self.expression(holder), self.text(name))

    def _subscript_expression(self, node: "Node", place: Place) -> Expression:
        holder, index = node.child_by_field_name("object"), node.child_by_field_name("index")
        if holder is None or index is None:
            return Other(place)
        if index.type == "string":
            return Member(place, self.expression(holder), self.text(index)[1:-1])
        return Item(place, self.expression(holder), self.expression(index))

    def _call_expression(self, node: "Node", place: Place) -> Expression:
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        arguments = node.child_by_field_name("arguments")
        if function is None:
            return Other(place)
        given = arguments.named_children if arguments is not None else []
        values = tuple(self.expression(one) for one in given if one.type != "comment")
        return Call(place, self.expression(function), values)

    _new_expression = _call_expression

    def _object(self, node: "Node", place: Place) -> Expression:
        entries: list[tuple[str | None, Expression]] = []
        for part in node.named_children:
            match part.type:
                case "pair":
                    key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
                    if key is not None and value is not None:
                        entries.append(self._pair(key, value))
                case "shorthand_property_identifier":
                    entries.append((self.text(part), Name(self.place(part), self.text(part))))
                case "spread_element":
                    entries.append((None, self.expression(part)))
                case "method_definition":
                    method = self.function(part)
                    entries.append((method.name, method))
                case _:
                    pass
        return Record(place, tuple(entries))

    def _pair(self, key: "Node", value: "Node") -> tuple[str, Expression]:
        if key.type != "computed_property_name":
            return self._key(key), self.expression(value)
        parts = (*self._inside(key), self.expression(value))
        return "", Other(self.place(key), parts)

    def _array(self, node: "Node", place: Place) -> Expression:
        return Several(place, tuple(self._inside(node)))

    def _ternary_expression(self, node: "Node", place: Place) -> Expression:
        parts = [node.child_by_field_name(name) for name in ("condition", "consequence", "alternative")]
        test, then, otherwise = (
            self.expression(part) if part is not None else Other(place) for part in parts
        )
        return Choice(place, test, then, otherwise)

    def _binary_expression(self, node: "Node", place: Place) -> Expression:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            return Other(place, tuple(self._inside(node)))
        sign, sides = self.text(operator), (self.expression(left), self.expression(right))
        if sign in _COMPARISONS:
            return Comparison(place, _COMPARISONS[sign], *sides)
        return Joined(place, _JOINS[sign], *sides) if sign in _JOINS else Other(place, sides)

    def _unary_expression(self, node: "Node", place: Place) -> Expression:
        operator, argument = node.child_by_field_name("operator"), node.child_by_field_name("argument")
        if operator is None or argument is None:
            return Other(place)
        inner = self.expression(argument)
        return Not(place, inner) if self.text(operator) == "!" else Other(place, (inner,))

    def _assignment_expression(self, node: "Node", place: Place) -> Expression:
        right = node.child_by_field_name("right")
        return self.expression(right) if right is not None else Other(place)
