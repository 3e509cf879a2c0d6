"""JavaScript's and TypeScript's syntax trees, translated into the small language: expressions."""

import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from avow.system.diagnosis.code import syntax as s

if TYPE_CHECKING:
    from tree_sitter import Node

_LOGIC: Final = {"||": "or", "&&": "and", "??": "??"}
_EQUAL: Final = {"===": "==", "!==": "!="}
_WRAPPERS: Final = frozenset(
    {"parenthesized_expression", "await_expression", "as_expression", "satisfies_expression"}
    | {"non_null_expression", "type_assertion", "expression_statement", "yield_expression"}
)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "0": "\0"}
_ESCAPE: Final = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL
)


def text_of(node: "Node") -> str:
    """The source of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def string_of(node: "Node") -> str:
    """The text that a string literal stands for; of anything else, its source."""
    source = text_of(node)
    if node.type not in {"string", "template_string"}:
        return source
    return _unescaped(source[1:-1])


_NO_VALUE: Final = frozenset({"regex_pattern", "regex_flags", "statement_block", "string_fragment"})


def _unescaped(source: str) -> str:
    def read(match: re.Match[str]) -> str:
        code = match[1] or match[2] or match[3]
        if code is None:
            return _ESCAPES.get(match[4], match[4])
        return chr(int(code, 16)) if int(code, 16) < 0x110000 else ""

    return _ESCAPE.sub(read, source) if "\\" in source else source


def _number(source: str) -> int | float | None:
    try:
        return int(source.replace("_", ""), 0)
    except ValueError:
        try:
            return float(source.replace("_", ""))
        except ValueError:
            return None


def _is_optional(node: "Node") -> bool:
    return any(each.type in {"optional_chain", "?."} for each in node.children)


def _parts(node: "Node") -> list["Node"]:
    return [each for each in node.named_children if each.type != "comment"]


def _field(node: "Node", field: str) -> "Node":
    found = node.child_by_field_name(field)
    return node.named_children[0] if found is None and node.named_children else found or node


class Expressions:
    """Translates expressions; the statements of functions are left to whoever derives from this."""

    @abstractmethod
    def body_of(self, node: "Node | None") -> Sequence[s.Statement]:
        """The statements of a block."""

    def expression(self, node: "Node") -> s.Expression:
        """The value that a node stands for."""
        line = node.start_point[0] + 1
        if node.type in _WRAPPERS:
            inner = [each for each in node.named_children if each.type != "comment"]
            # In a type assertion `<T>x` the value comes last, in `x as T` first.
            at = -1 if node.type == "type_assertion" else 0
            return self.expression(inner[at]) if inner else s.Literal(None, line=line)
        match node.type:
            case "identifier" | "this" | "super" | "shorthand_property_identifier" | "import":
                return s.Name(text_of(node), line=line)
            case "string":
                return s.Literal(string_of(node), line=line)
            case "template_string":
                return self._template(node, line)
            case "number":
                return s.Literal(_number(text_of(node)), line=line)
            case "true" | "false":
                return s.Literal(node.type == "true", line=line)
            case "null" | "undefined":
                return s.Literal(None, line=line)
            case "member_expression":
                name = text_of(_field(node, "property"))
                return s.Attribute(
                    self.expression(_field(node, "object")), name, _is_optional(node), line=line
                )
            case "subscript_expression":
                owner, key = self.expression(_field(node, "object")), self.expression(_field(node, "index"))
                return s.Index(owner, key, optional=_is_optional(node), line=line)
            case "call_expression" | "new_expression":
                return self._call(node, line)
            case "binary_expression":
                return self._binary(node, line)
            case "arrow_function" | "function_expression" | "generator_function" | "function":
                return self.function_of(node)
            case "object":
                return s.Mapped(list(self._pairs(node)), line=line)
            case "array":
                return s.Items([self.expression(each) for each in _parts(node)], line=line)
            case "ternary_expression":
                parts = [
                    self.expression(_field(node, each))
                    for each in ("condition", "consequence", "alternative")
                ]
                return s.Conditional(*parts, line=line)
            case _:
                return self._rarer(node, line)

    def _rarer(self, node: "Node", line: int) -> s.Expression:
        match node.type:
            case "unary_expression":
                value = self.expression(_field(node, "argument"))
                match text_of(_field(node, "operator")):
                    case "!":
                        return s.Not(value, line=line)
                    case "typeof":
                        return s.TypeOf(value, line=line)
                    case "void":
                        return s.Sequenced([value, s.Literal(None)], line=line)
                    case "-" if isinstance(value, s.Literal) and isinstance(value.value, int | float):
                        return s.Literal(-value.value, line=line)
                    case _:
                        return s.Opaque([value], line=line)
            case "assignment_expression":
                left = self.target_of(_field(node, "left"))
                return s.Assigned(left, self.expression(_field(node, "right")), line=line)
            case "augmented_assignment_expression":
                sign = text_of(_field(node, "operator")).removesuffix("=")
                left = self.target_of(_field(node, "left"))
                return s.Assigned(
                    left, self.expression(_field(node, "right")), _LOGIC.get(sign, sign), line=line
                )
            case "update_expression":
                sign = "+" if "++" in text_of(node) else "-"
                return s.Assigned(self.target_of(_field(node, "argument")), s.Literal(1), sign, line=line)
            case "sequence_expression":
                return s.Sequenced([self.expression(each) for each in _parts(node)], line=line)
            case "spread_element":
                return s.Spread(self.expression(node.named_children[0]), line=line)
            case "class":
                return self.class_of(node)
            case "meta_property":
                return s.Attribute(s.Name("import", line=line), "meta", line=line)
            case _:
                # Only what can hold a value: the children of a type or of a comment have none.
                parts = [] if "type" in node.type else _parts(node)
                return s.Opaque(
                    [self.expression(each) for each in parts if each.type not in _NO_VALUE], line=line
                )

    def _call(self, node: "Node", line: int) -> s.Expression:
        is_new = node.type == "new_expression"
        called = node.child_by_field_name("function")
        if called is not None and called.type == "identifier" and called.text == b"await":
            # `await (0, f)(x)` is read as a call of something that is named so.
            inside = node.child_by_field_name("arguments")
            return s.Sequenced(
                [self.expression(each) for each in _parts(inside)] if inside else [], line=line
            )
        function = self.expression(_field(node, "constructor" if is_new else "function"))
        arguments = node.child_by_field_name("arguments")
        if arguments is not None and arguments.type == "arguments":
            given = [self.expression(each) for each in _parts(arguments)]
        else:
            given = []
        if isinstance(function, s.Attribute) and _is_optional(node):
            function.optional = True
        return s.Call(function, given, new=is_new, line=line)

    def _binary(self, node: "Node", line: int) -> s.Expression:
        sign = text_of(_field(node, "operator"))
        left, right = self.expression(_field(node, "left")), self.expression(_field(node, "right"))
        if sign in _LOGIC:
            return s.Logic(_LOGIC[sign], left, right, line=line)
        return s.Binary(_EQUAL.get(sign, sign), left, right, line=line)

    def function_of(self, node: "Node") -> s.Function:
        """A function of any of the ways to write one."""
        body = node.child_by_field_name("body")
        single, several = node.child_by_field_name("parameter"), node.child_by_field_name("parameters")
        given = [single] if single is not None else _parts(several) if several is not None else []
        name = node.child_by_field_name("name")

        def translate() -> Sequence[s.Statement]:
            if body is not None and body.type != "statement_block":
                return [s.Return(self.expression(body), line=body.start_point[0] + 1)]
            return self.body_of(body)

        return s.Function(
            "" if name is None else text_of(name),
            [self._parameter(each) for each in given],
            translate,
            is_arrow=node.type == "arrow_function",
            line=node.start_point[0] + 1,
        )

    def _parameter(self, node: "Node") -> s.Parameter:
        if node.type in {"required_parameter", "optional_parameter"}:
            value = node.child_by_field_name("value")
            inner = self._parameter(_field(node, "pattern"))
            return s.Parameter(
                inner.target, None if value is None else self.expression(value), kind=inner.kind
            )
        if node.type == "assignment_pattern":
            return s.Parameter(self.target_of(_field(node, "left")), self.expression(_field(node, "right")))
        if node.type == "rest_pattern":
            return s.Parameter(self.target_of(node.named_children[0]), kind="*")
        return s.Parameter(self.target_of(node))

    def class_of(self, node: "Node") -> s.Class:
        """A class, declared or as a value."""
        name = node.child_by_field_name("name")
        heritage = next((each for each in node.named_children if each.type == "class_heritage"), None)
        base = heritage.named_children[0] if heritage is not None and heritage.named_children else None
        if base is not None and base.type == "extends_clause":
            base = base.child_by_field_name("value")
        bases = [] if base is None else [self.expression(base)]
        body = node.child_by_field_name("body")
        members = [member for each in (body.named_children if body else ()) for member in self._members(each)]
        return s.Class("" if name is None else text_of(name), bases, members, line=node.start_point[0] + 1)

    def _members(self, node: "Node") -> Iterator[s.Member]:
        words = {each.type for each in node.children}
        match node.type:
            case "method_definition":
                name = text_of(_field(node, "name"))
                yield s.Member(name, self.function_of(node), static="static" in words, getter="get" in words)
            case "field_definition" | "public_field_definition":
                field = node.child_by_field_name("property") or node.child_by_field_name("name")
                value = node.child_by_field_name("value")
                if field is not None:
                    given = s.Literal(None) if value is None else self.expression(value)
                    yield s.Member(text_of(field), given, static="static" in words)
            case _:
                return

    def target_of(self, node: "Node") -> s.Target:
        """What is assigned to."""
        line = node.start_point[0] + 1
        match node.type:
            case "object_pattern" | "object":
                return self._object_pattern(node)
            case "array_pattern" | "array":
                return self._items_pattern(node)
            case "member_expression" | "subscript_expression":
                target = self.expression(node)
                assert isinstance(target, s.Attribute | s.Index)
                return target
            case "parenthesized_expression" | "non_null_expression":
                return self.target_of(node.named_children[0])
            case _:
                return s.Name(text_of(node), line=line)

    def _object_pattern(self, node: "Node") -> s.ObjectPattern:
        entries: list[tuple[s.Expression, s.Target, s.Expression | None]] = []
        rest = None
        for each in _parts(node):
            line = each.start_point[0] + 1
            match each.type:
                case "shorthand_property_identifier_pattern" | "shorthand_property_identifier":
                    entries.append(
                        (s.Literal(text_of(each), line=line), s.Name(text_of(each), line=line), None)
                    )
                case "object_assignment_pattern":
                    name = text_of(_field(each, "left"))
                    default = self.expression(_field(each, "right"))
                    entries.append((s.Literal(name, line=line), s.Name(name, line=line), default))
                case "pair_pattern" | "pair":
                    key, (target, value) = (
                        self._key(_field(each, "key")),
                        self._with_default(_field(each, "value")),
                    )
                    entries.append((key, target, value))
                case "rest_pattern":
                    rest = self.target_of(each.named_children[0])
                case _:
                    continue
        return s.ObjectPattern(entries, rest)

    def _items_pattern(self, node: "Node") -> s.ItemsPattern:
        entries: list[tuple[s.Target | None, s.Expression | None]] = []
        rest, skipped = None, True
        for each in node.children[1:-1]:
            if each.type == ",":
                if skipped:
                    entries.append((None, None))
                skipped = True
            elif each.type == "rest_pattern":
                rest, skipped = self.target_of(each.named_children[0]), False
            elif each.type != "comment":
                entries.append(self._with_default(each))
                skipped = False
        return s.ItemsPattern(entries, rest)

    def _with_default(self, node: "Node") -> tuple[s.Target, s.Expression | None]:
        if node.type in {"assignment_pattern", "assignment_expression"}:
            return self.target_of(_field(node, "left")), self.expression(_field(node, "right"))
        return self.target_of(node), None

    def _pairs(self, node: "Node") -> Iterator[tuple[s.Expression | None, s.Expression]]:
        for each in _parts(node):
            match each.type:
                case "pair":
                    yield self._key(_field(each, "key")), self.expression(_field(each, "value"))
                case "shorthand_property_identifier":
                    yield s.Literal(text_of(each)), self.expression(each)
                case "spread_element":
                    yield None, self.expression(each.named_children[0])
                case "method_definition":
                    yield self._key(_field(each, "name")), self.function_of(each)
                case _:
                    continue

    def _key(self, node: "Node") -> s.Expression:
        line = node.start_point[0] + 1
        if node.type == "computed_property_name":
            return self.expression(node.named_children[0])
        return s.Literal(string_of(node), line=line)

    def _template(self, node: "Node", line: int) -> s.Expression:
        parts: list[s.Expression] = []
        for each in node.named_children:
            if each.type == "template_substitution":
                parts.append(self.expression(each.named_children[0]) if each.named_children else s.Opaque())
            else:
                parts.append(s.Literal(_unescaped(text_of(each))))
        return s.Text(parts, line=line) if parts else s.Literal("", line=line)
