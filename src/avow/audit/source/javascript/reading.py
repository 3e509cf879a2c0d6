"""A JavaScript or TypeScript file as a unit of code, by tree-sitter's syntax tree."""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from avow.audit.source.code import Imported, Unit
from avow.audit.source.javascript.statements import Reader
from avow.audit.source.tree import Language
from avow.errors import MalformedInputError

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


def read_unit(path: str, text: str, language: Language) -> Unit:
    """The code of one file; what is no valid code in it is left out.

    Raises:
        MalformedInputError: hardly anything of it is code, or it is nested too deep.
    """
    data = text.encode()
    root = _parser(language).parse(data).root_node
    if root.has_error and _damage(root) > len(data) // 4:
        raise MalformedInputError(f"not valid {language.capitalize()}")
    try:
        return Unit(path, dict(_imports(root)), Reader(path, data).body(root.named_children))
    except RecursionError as exc:
        raise MalformedInputError("nested too deep to be read") from exc


@cache
def _parser(language: Language) -> "Parser":
    from tree_sitter import Language as Grammar
    from tree_sitter import Parser

    match language:
        case Language.JAVASCRIPT:
            import tree_sitter_javascript

            grammar = tree_sitter_javascript.language()
        case Language.TSX:
            import tree_sitter_typescript

            grammar = tree_sitter_typescript.language_tsx()
        case _:
            import tree_sitter_typescript

            grammar = tree_sitter_typescript.language_typescript()
    return Parser(Grammar(grammar))


def _damage(node: "Node") -> int:
    """How many bytes the parser could make nothing of."""
    if node.is_error:
        return node.end_byte - node.start_byte
    return sum(_damage(child) for child in node.children if child.has_error)


def _imports(root: "Node") -> Iterator[tuple[str, Imported]]:
    for node in root.named_children:
        if node.type == "import_statement":
            source = node.child_by_field_name("source")
            module = _string(source) if source else ""
            for clause in node.named_children:
                if clause.type == "import_clause":
                    yield from _clause(clause, module)
        elif node.type in ("lexical_declaration", "variable_declaration"):
            for declarator in node.named_children:
                yield from _required(declarator)


def _clause(clause: "Node", module: str) -> Iterator[tuple[str, Imported]]:
    for part in clause.named_children:
        match part.type:
            case "identifier":
                yield _text(part), Imported(module, "default")
            case "namespace_import":
                yield from ((_text(name), Imported(module, "")) for name in part.named_children)
            case "named_imports":
                for specifier in part.named_children:
                    name = specifier.child_by_field_name("name")
                    alias = specifier.child_by_field_name("alias") or name
                    if name and alias:
                        yield _text(alias), Imported(module, _text(name))
            case _:
                pass


def _required(declarator: "Node") -> Iterator[tuple[str, Imported]]:
    """`const { Server } = require("…")`."""
    name = declarator.child_by_field_name("name")
    value = declarator.child_by_field_name("value")
    if name is None or value is None or value.type != "call_expression":
        return
    function = value.child_by_field_name("function")
    arguments = value.child_by_field_name("arguments")
    if function is None or _text(function) != "require" or not arguments or not arguments.named_children:
        return
    module = _string(arguments.named_children[0])
    if name.type == "identifier":
        yield _text(name), Imported(module, "")
    elif name.type == "object_pattern":
        for part in name.named_children:
            key = part.child_by_field_name("key") or part
            local = part.child_by_field_name("value") or part
            yield _text(local), Imported(module, _text(key))


def _text(node: "Node") -> str:
    return (node.text or b"").decode(errors="replace")


def _string(node: "Node") -> str:
    return _text(node)[1:-1]
