"""A Python file as a unit of code, by the syntax tree of the language's own parser."""

import ast
import warnings
from collections.abc import Iterable

from avow.audit.source.code import Imported, Unit
from avow.audit.source.python.statements import Reader
from avow.errors import MalformedInputError


def read_unit(path: str, text: str) -> Unit:
    """The code of one file.

    Raises:
        MalformedInputError: it is not Python that this version of Python can read.
    """
    try:
        with warnings.catch_warnings():
            # Remarks of the compiler about somebody else's escapes are not ours to print.
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        body = Reader(path, text).body(tree.body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as exc:
        why = f"line {exc.lineno}: {exc.msg}" if isinstance(exc, SyntaxError) else "too deep, or not text"
        raise MalformedInputError(f"not valid Python ({why})") from exc
    return Unit(path, _imports(path, ast.walk(tree)), body)


def _imports(path: str, nodes: Iterable[ast.AST]) -> dict[str, Imported]:
    found: dict[str, Imported] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                local = alias.asname or alias.name.partition(".")[0]
                found[local] = Imported(alias.name if alias.asname else local, "")
        elif isinstance(node, ast.ImportFrom):
            module = _absolute(path, node.level, node.module or "")
            for alias in node.names:
                found[alias.asname or alias.name] = Imported(module, alias.name)
    return found


def _absolute(path: str, level: int, module: str) -> str:
    """A relative import as a dotted path from the root of the tree, with a dot in front to tell."""
    if not level:
        return module
    package = path.split("/")[:-1]
    kept = package[: len(package) - (level - 1)]
    return "." + ".".join([*kept, module] if module else kept)
