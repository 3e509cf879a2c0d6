"""JavaScript's and TypeScript's statements in the terms of the audit."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from avow.audit.source.code import (
    Assign,
    Block,
    Class,
    Delete,
    Evaluate,
    Expression,
    Function,
    If,
    Item,
    Name,
    Other,
    Raise,
    Record,
    Return,
    Statement,
    Switch,
)
from avow.audit.source.javascript.bundles import bundled, outside_libraries
from avow.audit.source.javascript.expressions import Expressions
from avow.audit.source.spans import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_DECLARATIONS: Final = frozenset({"lexical_declaration", "variable_declaration"})
_FUNCTIONS: Final = frozenset({"function_declaration", "generator_function_declaration"})
_CLASSES: Final = frozenset({"class_declaration", "abstract_class_declaration", "class"})
_FIELDS: Final = frozenset({"public_field_definition", "field_definition"})
# Types say nothing about what runs.
_NOTHING: Final = frozenset(
    {"comment", "import_statement", "interface_declaration", "type_alias_declaration", "empty_statement"}
    | {"ambient_declaration", "hash_bang_line", "break_statement", "continue_statement"}
)


class Reader(Expressions):
    """Reads the statements of one file."""

    def body(self, nodes: Iterable["Node"]) -> tuple[Statement, ...]:
        """Several statements; one that is nested too deep is left out, and remembered."""
        found: list[Statement] = []
        for node in nodes:
            try:
                found.extend(self._statement(node))
            except RecursionError:
                self.is_whole = False
        return tuple(found)

    def whole(self, root: "Node") -> tuple[Statement, ...]:
        """Everything in a file that its authors wrote; libraries that are bundled with it are left out."""
        return self.body(outside_libraries(root, self.text))

    def _statement(self, node: "Node") -> Iterator[Statement]:
        kind, span = node.type, self.span(node)
        if kind in _NOTHING:
            return
        if kind in _FUNCTIONS:
            yield self.function(node)
        elif kind in _CLASSES:
            yield self._class(node, span)
        elif kind in _DECLARATIONS:
            for declarator in node.named_children:
                yield from self._declared(declarator)
        elif kind == "expression_statement":
            for inner in node.named_children:
                yield from self.effect(inner)
        elif kind == "export_statement":
            yield from self._exported(node, span)
        elif kind == "return_statement":
            yield Return(span, self._first(node))
        elif kind == "throw_statement":
            yield Raise(span, self._first(node))
        elif kind == "if_statement":
            yield self._if(node, span)
        elif kind == "switch_statement":
            yield self._switch(node, span)
        elif kind == "statement_block":
            yield from self.body(node.named_children)
        elif kind == "for_in_statement":
            yield self._loop(node, span)
        elif kind == "enum_declaration":
            yield from self._enum(node, span)
        else:
            yield from self._block(node, span)

    def _exported(self, node: "Node", span: Span) -> Iterator[Statement]:
        declaration, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
        if declaration is not None:
            inside = self.body([declaration])
            yield from inside
            if inside and any(child.type == "default" for child in node.children):
                title = getattr(inside[0], "name", "")
                yield Assign(span, Name(span, "default"), Name(span, title))
        elif value is not None:
            yield Assign(span, Name(span, "default"), self.expression(value))
        elif node.child_by_field_name("source") is None:
            yield from self._renamed(node)

    def _renamed(self, node: "Node") -> Iterator[Statement]:
        """`export { a as b }`."""
        for clause in node.named_children:
            for specifier in clause.named_children if clause.type == "export_clause" else ():
                name, alias = specifier.child_by_field_name("name"), specifier.child_by_field_name("alias")
                if name is not None and alias is not None:
                    span = self.span(specifier)
                    yield Assign(span, Name(span, self.text(alias)), Name(span, self.text(name)))

    def effect(self, node: "Node") -> Iterator[Statement]:
        """An expression that stands alone: an assignment, a deletion, a call."""
        span = self.span(node)
        match node.type:
            case "assignment_expression" | "augmented_assignment_expression":
                left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
                if left is not None and right is not None and right.type in _CLASSES:
                    yield self._class(right, span, self.text(left))
                elif left is not None and right is not None:
                    before = self._budget.left
                    value = self.expression(right)
                    if left.type in ("object_pattern", "array_pattern"):
                        yield from self.taken_apart(left, value, before - self._budget.left)
                    else:
                        yield Assign(span, self.expression(left), value)
            case "unary_expression" if self.text(node).startswith("delete"):
                argument = node.child_by_field_name("argument")
                if argument is not None:
                    yield Delete(span, self.expression(argument))
            case "sequence_expression":
                for inner in node.named_children:
                    yield from self.effect(inner)
            case _:
                yield Evaluate(span, self.expression(node))

    def _declared(self, node: "Node") -> Iterator[Statement]:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None:
            return
        if value.type in _CLASSES:
            yield self._class(value, self.span(node), self.text(name))
            return
        before = self._budget.left
        read = self.expression(value)
        if name.type == "identifier":
            yield Assign(self.span(node), Name(self.span(name), self.text(name)), read)
        else:
            yield from self.taken_apart(name, read, before - self._budget.left)

    def _class(self, node: "Node", span: Span, title: str = "") -> Class:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        inside: list[Statement] = []
        for part in body.named_children if body is not None else ():
            if part.type == "method_definition":
                inside.append(self.function(part))
            elif part.type in _FIELDS:
                inside.extend(self._field(part))
        called = title or (self.text(name) if name is not None else "")
        sdk = bundled({one.name for one in inside if isinstance(one, Function)})
        return Class(span, called, () if sdk else tuple(inside), tuple(self._bases(node)), sdk)

    def _bases(self, node: "Node") -> Iterator[Expression]:
        for part in node.named_children:
            if part.type == "class_heritage":
                for inner in part.named_children:
                    # TypeScript has a clause around it, JavaScript has not.
                    value = inner.child_by_field_name("value") if inner.type.endswith("_clause") else inner
                    if value is not None:
                        yield self.expression(value)

    def _field(self, node: "Node") -> Iterator[Statement]:
        name = node.child_by_field_name("name") or node.child_by_field_name("property")
        value = node.child_by_field_name("value")
        if name is not None and value is not None:
            span, title, read = self.span(node), self.text(name), self.expression(value)
            if isinstance(read, Function):
                yield Function(span, title, read.parameters, read.body)
            yield Assign(span, Name(self.span(name), title), read)

    def _if(self, node: "Node", span: Span) -> If:
        test, then = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        otherwise = node.child_by_field_name("alternative")
        return If(
            span,
            self.expression(test) if test is not None else Other(span),
            self.body([then]) if then is not None else (),
            self.body(otherwise.named_children) if otherwise is not None else (),
        )

    def _switch(self, node: "Node", span: Span) -> Switch:
        subject, body = node.child_by_field_name("value"), node.child_by_field_name("body")
        cases: list[tuple[tuple[Expression, ...], tuple[Statement, ...]]] = []
        waiting: list[Expression] = []
        for case in body.named_children if body is not None else ():
            value = case.child_by_field_name("value")
            if value is not None:
                waiting.append(self.expression(value))
            inside = self.body(case.children_by_field_name("body"))
            # `case "a": case "b": …` shares what follows.
            if inside or case.type == "switch_default":
                cases.append((tuple(waiting), inside))
                waiting.clear()
        return Switch(span, self.expression(subject) if subject is not None else Other(span), tuple(cases))

    def _loop(self, node: "Node", span: Span) -> Block:
        """`for (const one of several)`: each time, the name stands for one of them."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        body = node.child_by_field_name("body")
        taken: tuple[Statement, ...] = ()
        if left is not None and right is not None:
            before = self._budget.left
            one = Item(span, self.expression(right), Other(span))
            taken = tuple(self.taken_apart(left, one, before - self._budget.left))
        return Block(span, (), (*taken, *(self.body([body]) if body is not None else ())))

    def _enum(self, node: "Node", span: Span) -> Iterator[Statement]:
        """`enum Key { A = "a" }` is a record."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return
        entries: list[tuple[str | None, Expression]] = []
        for part in body.named_children:
            key, value = part.child_by_field_name("name"), part.child_by_field_name("value")
            if key is not None and value is not None:
                entries.append((self._key(key), self.expression(value)))
        yield Assign(span, Name(self.span(name), self.text(name)), Record(span, tuple(entries)))

    def _block(self, node: "Node", span: Span) -> Iterator[Statement]:
        expressions: list[Expression] = []
        inside: list[Statement] = []
        for child in node.named_children:
            if child.type.endswith(("_statement", "_declaration", "_block", "_clause")):
                inside.extend(self._statement(child))
            elif child.type not in _NOTHING:
                expressions.append(self.expression(child))
        yield Block(span, tuple(expressions), tuple(inside))

    def _first(self, node: "Node") -> Expression | None:
        inner = [child for child in node.named_children if child.type != "comment"]
        return self.expression(inner[0]) if inner else None
