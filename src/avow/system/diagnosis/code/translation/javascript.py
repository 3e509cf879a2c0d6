"""JavaScript's and TypeScript's syntax trees, translated into the small language: statements.

Bundlers that leave a comment over each file they put in tell which part of a bundle is somebody else's: what
is declared there is imported from that package instead of read.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from avow.system.diagnosis.code import syntax as s
from avow.system.diagnosis.code.translation.javascript_expressions import Expressions, string_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_LONGEST_PATH: Final = 400
_SOURCES: Final = (".js", ".ts", ".mjs", ".cjs", ".mts", ".cts", ".jsx", ".tsx", ".json")
_FUNCTIONS: Final = frozenset({"function_declaration", "generator_function_declaration"})
_CLASSES: Final = frozenset({"class_declaration", "abstract_class_declaration"})


def translate(source: bytes, suffix: str, is_late: Callable[[], bool]) -> Sequence[s.Statement]:
    """The statements of a module; what does not parse is left out, and so is all when it gets late.

    Raises:
        SyntaxError: there is more of it than there is time for.
    """
    tree = _parse(source, suffix)
    return list(Statements().top_level(tree.root_node, is_late))


def _parse(source: bytes, suffix: str) -> "Tree":
    # Loading the parsers takes longer than most commands of ours.
    from tree_sitter import Language, Parser

    if suffix in {".ts", ".mts", ".cts", ".tsx"}:
        import tree_sitter_typescript as typescript

        grammar = typescript.language_tsx() if suffix == ".tsx" else typescript.language_typescript()
    else:
        import tree_sitter_javascript as javascript

        grammar = javascript.language()
    return Parser(Language(grammar)).parse(source)


def _region(comment: str, before: str) -> str:
    """The package whose code follows, after a comment; empty for the server's own."""
    if comment.startswith("//#endregion"):
        return ""
    mark = next((mark for mark in ("// ", "//#region ") if comment.startswith(mark)), None)
    path = comment.removeprefix(mark or "").strip()
    is_path = len(path) < _LONGEST_PATH and path.partition("?")[0].endswith(_SOURCES) and " " not in path
    if mark is None or not is_path:
        return before
    _, found, inside = path.rpartition("node_modules/")
    name = inside.split("/")[: 2 if inside.startswith("@") else 1]
    return "/".join(name) if found else ""


def _specifiers(node: "Node") -> Iterator[tuple[str, str]]:
    for each in node.named_children:
        name, alias = each.child_by_field_name("name"), each.child_by_field_name("alias")
        if name is not None:
            yield string_of(name), string_of(alias or name)


def _names(target: s.Target | None) -> Iterator[str]:
    match target:
        case s.Name(text):
            yield text
        case s.ObjectPattern(entries):
            for _, inner, _ in entries:
                yield from _names(inner)
        case s.ItemsPattern(entries):
            for place, _ in entries:
                yield from _names(place)
        case _:
            return


def _node(node: "Node", field: str) -> "Node":
    found = node.child_by_field_name(field)
    return node if found is None else found


def _line(node: "Node") -> int:
    return node.start_point[0] + 1


class Statements(Expressions):
    """Translates statements, and everything in them."""

    def top_level(self, root: "Node", is_late: Callable[[], bool]) -> Iterator[s.Statement]:
        """The statements of a whole file."""
        vendor = ""
        hoisted: list[s.Statement] = []
        others: list[s.Statement] = []
        for node in root.named_children:
            if is_late():
                raise SyntaxError("there is more than there is time for")
            if node.type == "comment":
                vendor = _region(text_of(node), vendor)
            elif vendor:
                others.extend(self._as_import(node, vendor))
            else:
                (hoisted if node.type in _FUNCTIONS else others).extend(self.statement(node))
        yield from hoisted
        yield from others

    def _as_import(self, node: "Node", package: str) -> Iterator[s.Statement]:
        names = []
        if node.type in _FUNCTIONS | _CLASSES:
            names = [node.child_by_field_name("name")]
        elif node.type in {"lexical_declaration", "variable_declaration"}:
            names = [each.child_by_field_name("name") for each in node.named_children]
        elif node.type == "import_statement":
            yield from self.statement(node)
        pairs = [(text_of(name), text_of(name)) for name in names if name is not None]
        if pairs:
            yield s.Import(package, pairs, line=_line(node))

    def statements(self, nodes: Sequence["Node"]) -> list[s.Statement]:
        """Statements in the order in which they happen: functions are there before anything else."""
        hoisted = [each for node in nodes if node.type in _FUNCTIONS for each in self.statement(node)]
        return hoisted + [
            each for node in nodes if node.type not in _FUNCTIONS for each in self.statement(node)
        ]

    def body_of(self, node: "Node | None") -> list[s.Statement]:
        """The statements of a block, or the one statement that stands in its place."""
        if node is None:
            return []
        return (
            self.statements(node.named_children)
            if node.type == "statement_block"
            else list(self.statement(node))
        )

    def statement(self, node: "Node") -> Iterator[s.Statement]:
        """One statement, in as many of ours as it takes."""
        try:
            yield from list(self._statement(node))
        except RecursionError:
            yield s.Evaluate(s.Opaque(line=_line(node)), line=_line(node))

    def _statement(self, node: "Node") -> Iterator[s.Statement]:
        line = _line(node)
        match node.type:
            case "expression_statement":
                yield s.Evaluate(self._child(node, 0), line=line)
            case "lexical_declaration" | "variable_declaration":
                yield from self._declarations(node)
            case "function_declaration" | "generator_function_declaration":
                yield s.Assign(self._name(node), self.function_of(node), line=line)
            case "class_declaration" | "abstract_class_declaration":
                yield s.Assign(self._name(node), self.class_of(node), line=line)
            case "if_statement":
                otherwise = node.child_by_field_name("alternative")
                after = self.body_of(otherwise.named_children[0]) if otherwise else []
                yield s.If(
                    self._value(node, "condition"), self.body_of(_node(node, "consequence")), after, line=line
                )
            case "return_statement":
                yield s.Return(self._child(node, 0) if node.named_children else None, line=line)
            case "throw_statement":
                yield s.Throw(self._child(node, 0), line=line)
            case "statement_block":
                yield s.Block(self.statements(node.named_children), line=line)
            case "try_statement":
                yield self._try(node)
            case "break_statement":
                yield s.Leave(line=line)
            case "continue_statement":
                yield s.Leave(again=True, line=line)
            case "labeled_statement":
                yield from self.statement(node.named_children[-1])
            case "import_statement":
                yield from self._import(node)
            case "export_statement":
                yield from self._export(node)
            case _:
                yield from self._loop_or_switch(node)

    def _loop_or_switch(self, node: "Node") -> Iterator[s.Statement]:
        line = _line(node)
        body = node.child_by_field_name("body")
        match node.type:
            case "for_in_statement":
                target = self.target_of(_node(node, "left"))
                operator = node.child_by_field_name("operator")
                keys = operator is not None and text_of(operator) == "in"
                yield s.ForEach(target, self._value(node, "right"), self.body_of(body), keys=keys, line=line)
            case "for_statement":
                first = node.child_by_field_name("initializer")
                if first is not None and first.type.endswith("declaration"):
                    yield from self.statement(first)
                elif first is not None and first.type != "empty_statement":
                    yield s.Evaluate(self.expression(first), line=line)
                step = node.child_by_field_name("increment")
                after = None if step is None else self.expression(step)
                yield s.While(self._value(node, "condition"), self.body_of(body), after, line=line)
            case "while_statement":
                yield s.While(self._value(node, "condition"), self.body_of(body), line=line)
            case "do_statement":
                yield from self.body_of(body)
            case "switch_statement":
                cases = [
                    self._case(each) for each in _node(node, "body").named_children if each.type != "comment"
                ]
                yield s.Switch(self._value(node, "value"), cases, line=line)
            case _:
                return

    def _case(self, node: "Node") -> tuple[list[s.Expression] | None, list[s.Statement]]:
        value = node.child_by_field_name("value")
        body = self.statements(node.children_by_field_name("body"))
        return (None if value is None else [self.expression(value)]), body

    def _declarations(self, node: "Node") -> Iterator[s.Statement]:
        for each in node.named_children:
            name = each.child_by_field_name("name")
            if each.type == "variable_declarator" and name is not None:
                value = each.child_by_field_name("value")
                given = s.Literal(None) if value is None else self.expression(value)
                yield s.Assign(self.target_of(name), given, line=_line(each))

    def _try(self, node: "Node") -> s.Try:
        handlers = []
        handler = node.child_by_field_name("handler")
        if handler is not None:
            parameter = handler.child_by_field_name("parameter")
            target = None if parameter is None else self.target_of(parameter)
            handlers = [s.Handler((), target, self.body_of(handler.child_by_field_name("body")))]
        final = node.child_by_field_name("finalizer")
        after = self.body_of(final.child_by_field_name("body")) if final else []
        return s.Try(self.body_of(node.child_by_field_name("body")), handlers, after, line=_line(node))

    def _import(self, node: "Node") -> Iterator[s.Statement]:
        source = node.child_by_field_name("source")
        if source is None:
            return
        names: list[tuple[str, str]] = []
        for clause in (each for each in node.named_children if each.type == "import_clause"):
            for each in clause.named_children:
                match each.type:
                    case "identifier":
                        names.append(("default", text_of(each)))
                    case "namespace_import":
                        names.append(("*", text_of(each.named_children[0])))
                    case "named_imports":
                        names.extend(_specifiers(each))
                    case _:
                        continue
        yield s.Import(string_of(source), names, line=_line(node))

    def _export(self, node: "Node") -> Iterator[s.Statement]:
        line = _line(node)
        source = node.child_by_field_name("source")
        module = string_of(source) if source else ""
        declaration, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
        is_default = any(each.type == "default" for each in node.children)
        if declaration is not None:
            declared = list(self.statement(declaration))
            yield from declared
            names = [name for each in declared if isinstance(each, s.Assign) for name in _names(each.target)]
            yield s.Export([(name, "default" if is_default else name) for name in names], line=line)
        elif value is not None:
            yield s.Assign(s.Name("*default*"), self.expression(value), line=line)
            yield s.Export([("*default*", "default")], line=line)
        elif any(each.type == "*" for each in node.children):
            yield s.Export([("*", "*")], module, line=line)
        for clause in (each for each in node.named_children if each.type == "export_clause"):
            yield s.Export(list(_specifiers(clause)), module, line=line)

    def _name(self, node: "Node") -> s.Name:
        name = node.child_by_field_name("name")
        return s.Name("*default*" if name is None else text_of(name), line=_line(node))

    def _value(self, node: "Node", field: str) -> s.Expression:
        found = node.child_by_field_name(field)
        return s.Opaque(line=_line(node)) if found is None else self.expression(found)

    def _child(self, node: "Node", position: int) -> s.Expression:
        children = [each for each in node.named_children if each.type != "comment"]
        return (
            self.expression(children[position])
            if position < len(children)
            else s.Literal(None, line=_line(node))
        )
