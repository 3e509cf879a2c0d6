"""A Python file as a unit of code, by the syntax tree of the language's own parser."""

import ast
import sys
import warnings
from collections.abc import Iterator

from avow.audit.source.bounds import Budget
from avow.audit.source.code import Imported, Unit
from avow.audit.source.python.statements import Reader
from avow.audit.source.spans import Source
from avow.errors import MalformedInputError


def read_unit(path: str, text: str, budget: Budget) -> Unit:
    """The code of one file.

    Raises:
        MalformedInputError: it is not Python that this version of Python can read, or too much.
    """
    source = Source.of(path, text)
    try:
        with warnings.catch_warnings():
            # Remarks of the compiler about somebody else's escapes are not ours to print.
            warnings.simplefilter("ignore")
            tree = ast.parse(source.data)
        reader = Reader(source, budget)
        body = reader.body(tree.body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as exc:
        raise MalformedInputError(_why(exc)) from exc
    imports, everything = _imports(path, tree)
    return Unit(path, imports, body, everything, reader.is_whole)


def _why(error: Exception) -> str:
    if not isinstance(error, SyntaxError):
        return "nested too deep to be read"
    major, minor = sys.version_info[:2]
    return f"not valid Python, as Python {major}.{minor} reads it (line {error.lineno}: {error.msg})"


def _imports(path: str, tree: ast.Module) -> tuple[dict[str, Imported], tuple[str, ...]]:
    found: dict[str, Imported] = {}
    everything: list[str] = []
    for node in _import_statements(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                local = alias.asname or alias.name.partition(".")[0]
                found[local] = Imported(alias.name if alias.asname else local, "")
            continue
        module = _absolute(path, node.level, node.module or "")
        for alias in node.names:
            if alias.name == "*":
                everything.append(module)
            else:
                found[alias.asname or alias.name] = Imported(module, alias.name)
    return found, tuple(everything)


def _import_statements(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports anywhere, inside of functions too; expressions hold none and are passed by."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not isinstance(node, ast.expr):
            waiting.extend(ast.iter_child_nodes(node))


def _absolute(path: str, level: int, module: str) -> str:
    """A relative import as a dotted path from the root of the tree, with a dot in front to tell."""
    if not level:
        return module
    package = path.split("/")[:-1]
    kept = package[: len(package) - (level - 1)]
    return "." + ".".join([*kept, module] if module else kept)
