"""A JavaScript or TypeScript file as a unit of code, by tree-sitter's syntax tree."""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from avow.audit.source.bounds import Budget
from avow.audit.source.code import Imported, Unit
from avow.audit.source.javascript.statements import Reader
from avow.audit.source.spans import Source
from avow.audit.source.tree import Language
from avow.errors import MalformedInputError

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


_NAMES: Final = {
    Language.JAVASCRIPT: "JavaScript",
    Language.TYPESCRIPT: "TypeScript",
    Language.TSX: "TypeScript",
}


def read_unit(path: str, text: str, language: Language, budget: Budget) -> Unit:
    """The code of one file; what is no valid code in it is left out.

    Raises:
        MalformedInputError: hardly anything of it is code, it is nested too deep, or there is too much of it.
    """
    source = Source.of(path, text)
    root = _parser(language).parse(source.data).root_node
    try:
        if root.has_error and _damage(root) > len(source.data) // 4:
            raise MalformedInputError(f"not valid {_NAMES[language]}")
        reader = Reader(source, budget)
        body = reader.whole(root)
    except RecursionError as exc:
        raise MalformedInputError("nested too deep to be read") from exc
    everything = tuple(_everything(root))
    return Unit(path, dict(_imports(root)), body, everything, reader.is_whole and not root.has_error)


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


def _everything(root: "Node") -> Iterator[str]:
    """`export * from "…"`."""
    for node in root.named_children:
        source = node.child_by_field_name("source") if node.type == "export_statement" else None
        if source is not None and not any(child.type == "export_clause" for child in node.named_children):
            yield _string(source)


def _imports(root: "Node") -> Iterator[tuple[str, Imported]]:
    for node in root.named_children:
        source = node.child_by_field_name("source")
        if node.type == "import_statement":
            for clause in node.named_children:
                if clause.type == "import_clause" and source is not None:
                    yield from _clause(clause, _string(source))
        elif node.type == "export_statement" and source is not None:
            for clause in node.named_children:
                yield from _specified(clause, _string(source))
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
                yield from _specified(part, module)
            case _:
                pass


def _specified(part: "Node", module: str) -> Iterator[tuple[str, Imported]]:
    """`{ a, b as c }`."""
    for specifier in part.named_children:
        name = specifier.child_by_field_name("name")
        alias = specifier.child_by_field_name("alias") or name
        if name is not None and alias is not None:
            yield _text(alias), Imported(module, _text(name))


def _required(declarator: "Node") -> Iterator[tuple[str, Imported]]:
    """`const { Server } = require("…")`, and with what compilers put around it."""
    name = declarator.child_by_field_name("name")
    value = declarator.child_by_field_name("value")
    module = _module(value) if value is not None else ""
    if name is None or not module:
        return
    if name.type == "identifier":
        yield _text(name), Imported(module, "")
    elif name.type == "object_pattern":
        for part in name.named_children:
            key = part.child_by_field_name("key") or part
            local = part.child_by_field_name("value") or part
            yield _text(local), Imported(module, _text(key))


def _module(value: "Node", depth: int = 0) -> str:
    """What `require("…")`, `__importDefault(require("…"))` or `await import("…")` brings in."""
    if value.type == "await_expression" and value.named_children:
        value = value.named_children[0]
    function, arguments = value.child_by_field_name("function"), value.child_by_field_name("arguments")
    if value.type != "call_expression" or function is None or arguments is None:
        return ""
    given = [part for part in arguments.named_children if part.type != "comment"]
    if not given:
        return ""
    if _text(function) in ("require", "import"):
        return _string(given[0]) if given[0].type == "string" else ""
    return _module(given[0], depth + 1) if depth == 0 else ""


def _text(node: "Node") -> str:
    return (node.text or b"").decode(errors="replace")


def _string(node: "Node") -> str:
    return _text(node)[1:-1]
