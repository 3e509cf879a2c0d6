"""Which expressions make a server, by whatever name and through whichever class of the project."""

from typing import Final

from avow.audit.facts import Framework
from avow.audit.source.code import (
    Call,
    Class,
    Expression,
    Imported,
    Item,
    Member,
    Name,
    Record,
    chain,
    last_name,
)
from avow.audit.source.project import Project, Scope
from avow.audit.source.vocabulary import CONSTRUCTORS, MAKES_SERVER, SDK_MODULES

_DEEPEST: Final = 4
# Other ways to make one: `FastMCP.from_openapi(…)`, `FastMCP.as_proxy(…)`.
_MAKERS: Final = ("from_", "as_")


def server_made(project: Project, scope: Scope, node: Call) -> Framework | None:
    """What a call makes: a server, and with what."""
    function = node.function
    framework = _framework(project, scope, function)
    if framework is not None:
        # A class of the project that is a server was counted where it is written.
        return None if _is_written_here(project, scope, function) else framework
    match function:
        case Member(object=holder, name=name) if name.startswith(_MAKERS):
            return _framework(project, scope, holder)
        case Name(name="Server") if _declares(node):
            return Framework.PYTHON_LOW if scope.path.endswith(".py") else Framework.TYPESCRIPT_LOW
        case _:
            return None


def server_class(project: Project, scope: Scope, node: Class) -> Framework | None:
    """What a class is, when it extends a server."""
    return next((made for base in node.bases if (made := _framework(project, scope, base))), None)


def made_elsewhere(project: Project, scope: Scope, function: Expression) -> str:
    """The package that makes a server, when it is neither an SDK nor in the tree."""
    root, members = chain(function)
    if not isinstance(root, Name):
        return ""
    imported = scope.unit.imports.get(root.name)
    if imported is None or not MAKES_SERVER.search(members[-1] if members else imported.name):
        return ""
    module = imported.module
    is_known = SDK_MODULES.search(module) or project.modules.find(scope.path, imported)
    return "" if is_known or "mcp" not in module.lower() or module.startswith(".") else module


def _framework(project: Project, scope: Scope, function: Expression, depth: int = 0) -> Framework | None:
    # `FastMCP[Context]` is a `FastMCP`.
    root, members = chain(function.object if isinstance(function, Item) else function)
    if not isinstance(root, Name) or depth > _DEEPEST:
        return None
    if members:
        # `types.Server`, `mcp.server.Server`: a member of an imported module.
        imported = scope.unit.imports.get(root.name)
        if imported is None:
            return None
        from_sdk = SDK_MODULES.search(imported.module) is not None
        return _named(members[-1], scope, from_sdk=from_sdk)
    match project.definition(scope, root.name):
        case Imported(module=module, name=name):
            return _named(name or root.name, scope, from_sdk=SDK_MODULES.search(module) is not None)
        case (Scope() as home, Class() as found):
            if found.sdk:
                return _named(found.sdk, home, from_sdk=True)
            bases = (_framework(project, home, base, depth + 1) for base in found.bases)
            return next((made for made in bases if made is not None), None)
        case _:
            return _named(root.name, scope, from_sdk=False)


def _named(name: str, scope: Scope, *, from_sdk: bool) -> Framework | None:
    is_python = scope.path.endswith(".py")
    match name:
        case "Server" if from_sdk:
            return Framework.PYTHON_LOW if is_python else Framework.TYPESCRIPT_LOW
        case "FastMCP" if not is_python:
            return Framework.TYPESCRIPT_FASTMCP
        case "McpServer" if is_python:
            return None
        case _:
            return CONSTRUCTORS.get(name)


def _is_written_here(project: Project, scope: Scope, function: Expression) -> bool:
    found = project.definition(scope, function.name) if isinstance(function, Name) else None
    return isinstance(found, tuple) and not found[1].sdk


def _declares(node: Call) -> bool:
    """A part of a program without its imports: `new Server(info, { capabilities: … })`."""
    return any(
        isinstance(argument, Record) and any(key == "capabilities" for key, _ in argument.entries)
        for argument in node.arguments
    ) and bool(last_name(node.function))
