"""Which servers `guard` of `avow.server` is applied to."""

import re
from typing import Final

from avow.audit.source.code import Call, Class, Expression, Function, Member, Name, chain, last_name
from avow.audit.source.project import Project, Scope

# What somebody outside of the tree calls: the entry point of a program, or what makes its server.
_ENTRY: Final = re.compile(
    r"(?i)^_*(?:main|run|serve|start|cli|app|lifespan|create|make|build|get|setup|init)"
)


class Guards:
    """The calls of `guard` in a project that run: not those in a function that nobody calls."""

    def __init__(self, project: Project) -> None:
        """Find them."""
        self._project = project
        self._objects: set[int] = set()
        self._names: set[tuple[str, str]] = set()
        self._units: set[str] = set()
        self._mentioned: set[str] | None = None
        for scope, call in project.calls("guard"):
            if _is_ours(scope, call) and self._runs(scope, call):
                self._take(scope, call)

    def cover(self, scope: Scope, node: Call | Class) -> bool:
        """Whether a server that is made here is guarded."""
        if id(node) in self._objects or scope.path in self._units:
            return True
        return isinstance(node, Class) and (scope.path, node.name) in self._names

    def _take(self, scope: Scope, call: Call) -> None:
        given = [*call.arguments[:1], *(value for name, value in call.named if name == "server")]
        for argument in given:
            home, value = self._project.value(scope, argument)
            if isinstance(value, Call) and isinstance(argument, Call | Name | Member):
                self._objects.add(id(value))
                self._made_by(home, value.function)
            else:
                # Whatever it is: in a unit with a guard that we cannot follow, the servers are its own.
                self._units.add(scope.path)

    def _made_by(self, scope: Scope, function: Expression) -> None:
        """A class of the tree, or a function that makes the server: `guard(make_server())`."""
        definition = self._project.definition(scope, last_name(function))
        if isinstance(definition, tuple):
            self._names.add((definition[0].path, definition[1].name))
        elif (resolved := self._project.function(scope, function)) is not None:
            self._units.add(resolved[0].path)

    def _runs(self, scope: Scope, call: Call) -> bool:
        """Whether everything around it is called by somebody, as far as that can be told."""
        return all(
            not function.name or _ENTRY.search(function.name) or self._is_used(function)
            for function in scope.nesting.around(call)
        )

    def _is_used(self, function: Function) -> bool:
        if self._mentioned is None:
            self._mentioned = {
                node.name
                for scope in self._project
                for node in scope.nodes
                if isinstance(node, Name | Member)
            }
        return bool(function.decorators) or function.name in self._mentioned


def _is_ours(scope: Scope, call: Call) -> bool:
    root, _ = chain(call.function)
    imported = scope.unit.imports.get(root.name) if isinstance(root, Name) else None
    return imported is not None and imported.module.partition(".")[0] == "avow"
