"""Following a program: calls, classes and modules."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from avow.core.configuration.model import Style, Where
from avow.system.diagnosis.code import libraries
from avow.system.diagnosis.code import syntax as s
from avow.system.diagnosis.code.access import positional_key
from avow.system.diagnosis.code.calls import Calls
from avow.system.diagnosis.code.ground import (
    IMPORTED,
    MAIN,
    MOST_TRIES,
    Frame,
    Left,
    Returned,
    Stopped,
)
from avow.system.diagnosis.code.ledger import Ledger, Seen
from avow.system.diagnosis.code.package import Package
from avow.system.diagnosis.code.values import (
    GIVEN,
    NOTHING,
    ClassValue,
    Closure,
    CommandLine,
    Configured,
    Environment,
    External,
    Known,
    Model,
    Module,
    ModuleValue,
    Native,
    Program,
    Record,
    Request,
    Scope,
    Truth,
    Unknown,
    Value,
    Word,
    text_of,
)


@dataclass(slots=True, eq=False)
class Loader(Native):
    """`require`, which also tells whether a module is the one that was started."""

    started: frozenset[str]

    def attribute(self, program: Program, name: str) -> Value:
        """`require.main` and `import.meta`."""
        if name == "meta":
            return External("import.meta")
        return Unknown(depends=self.started) if name == "main" else Native.attribute(self, program, name)


class Engine(Calls):
    """Follows the program of a package from where it is started."""

    def __init__(self, package: Package, ledger: Ledger, is_late: Callable[[], bool]) -> None:
        """Start with no module loaded."""
        super().__init__(ledger, is_late)
        self.package = package
        self.modules: dict[Path, Module] = {}
        self.entry: Path | None = None
        self.called: set[int] = set()
        self.waiting: list[Closure] = []
        self.models: dict[str, Model] = {}
        self.variables: dict[str, Value] = {}

    def load(self, path: Path) -> Module | None:
        """A module of the package, carried out once; None when it cannot be read."""
        if path in self.modules:
            return self.modules[path]
        body = self.package.read(path, self.ledger.note)
        if body is None:
            return None
        module = self.package.module(path)
        self.modules[path] = module
        if not module.is_python:
            exports = Record(complete=False)
            module.scope.variables |= {"module": Record({"exports": exports}), "exports": exports}
        self.frames.append(Frame(module.name))
        try:
            for statement in body:
                self._at_top(statement, module.scope)
        finally:
            self.frames.pop()
        return module

    def _at_top(self, statement: s.Statement, scope: Scope) -> None:
        for _ in range(MOST_TRIES):
            try:
                self.run([statement], scope)
            except Stopped as stop:
                if self.settle_stop(stop, Truth(None), ""):
                    continue
                if self._catching:
                    raise
            except (Returned, Left):
                pass
            except RecursionError:
                self.ledger.note(f"{scope.module.name} was followed only in part: it is nested too deeply")
            return

    def global_name(self, name: str, scope: Scope) -> Value:
        """A name that nothing in the module declares: the language's own, or a library's."""
        match name:
            case "require" | "import":
                started = MAIN if self.is_entry(scope.module) else IMPORTED
                return Loader(lambda _, request: self._required(request, scope), frozenset({started}))
            case "__name__":
                return Known("__main__" if self.is_entry(scope.module) else scope.module.dotted)
            case "super":
                return Native(lambda _, request: self._super(request, scope))
            case "globalThis":
                return External("")
            case "__filename":
                return Known(str(scope.module.path))
            case "this" | "__dirname" | "__file__" | "NaN":
                return Unknown(truth=True)
            case _:
                return self.external(name, scope)

    def is_entry(self, module: Module) -> bool:
        """Whether a module is the one that was started."""
        return module.path == self.entry

    def external(self, path: str, scope: Scope) -> Value:
        """Something of a library: what it is known to be, or just its path."""
        match path:
            case "process.env" | "os.environ" | "Bun.env" | "import.meta.env":
                return Environment()
            case "process.argv":
                return CommandLine(2)
            case "sys.argv":
                return CommandLine(1)
            case "process.platform" | "sys.platform":
                return Known("linux")
            case "process.stdin.isTTY" | "process.stdout.isTTY":
                return Known(value=False)
            case "import.meta.main":
                return Known(self.is_entry(scope.module))
            case "import.meta.url":
                return Known(f"file://{scope.module.path}")
            case "import.meta.filename":
                return Known(str(scope.module.path))
            case _ if path.startswith(("import.meta.", "require.main")):
                return Unknown(depends=frozenset({MAIN if self.is_entry(scope.module) else IMPORTED}))
            case _:
                return External(path)

    def word_before(self, position: int, leading: int) -> Value:
        """A word of the command line that names what is run."""
        is_program = position == leading - 1
        return Known(str(self.entry)) if is_program and self.entry else Known("/usr/bin/node")

    def variable(self, name: str, scope: Scope, line: int) -> Value:
        """An environment variable: missing, until it is assumed as given."""
        if not libraries.is_variable_name(name):
            return Unknown()
        if libraries.is_always_set(name):
            return GIVEN
        if name in self.variables:
            return self.variables[name]
        self.ledger.see(Seen(name, Where.ENV, name, self.place(scope, line)))
        return Configured((frozenset({name}),), NOTHING, Word(name))

    def positional(self, number: int, scope: Scope, line: int) -> Value:
        """A word of the command line."""
        key = self.positional_seen(number, scope, line, noted=True)
        return Configured((frozenset({key}),), NOTHING, Word(key))

    def positional_seen(self, number: int, scope: Scope, line: int, *, noted: bool) -> str:
        """The key of a word of the command line; `noted` when the word itself is used."""
        key = positional_key(number)
        if noted or key not in self.ledger.seen:
            place = self.place(scope, line)
            entry = Seen(key, Where.ARGUMENT, key, place, Style.POSITIONAL, order=number)
            if noted:
                self.ledger.see(entry)
            else:
                self.ledger.counted.setdefault(key, entry)
        return key

    def switch(self, word: str, scope: Scope, line: int) -> Value:
        """A flag that may stand on the command line."""
        name = word.rstrip("=")
        self.ledger.see(Seen(name, Where.ARGUMENT, name, self.place(scope, line), switch=name == word))
        return Configured((frozenset({name}),), NOTHING, Word(name))

    def _required(self, request: Request, scope: Scope) -> Value:
        name = text_of(request.argument(0))
        if name is None:
            return Unknown()
        found = self.imported(name, 0, scope)
        return found.module.whole() if isinstance(found, ModuleValue) else found

    def imported(self, name: str, level: int, scope: Scope) -> Value:
        """A module, of the package or of a library."""
        module = scope.module
        path = self.package.find(name, level, module)
        if path is None:
            return External(libraries.library_name(name, is_python=module.is_python))
        loaded = self.load(path)
        if loaded is None:
            return Unknown()
        if module.is_python:
            self._load_parents(name, level, module)
        return ModuleValue(loaded)

    def _load_parents(self, name: str, level: int, module: Module) -> None:
        """In Python the packages around a module are carried out too."""
        parts = name.split(".")
        for end in range(1, len(parts)):
            if path := self.package.find(".".join(parts[:end]), level, module):
                self.load(path)

    def taken(self, module: Value, name: str, node: s.Import, scope: Scope) -> Value:
        """A name taken from a module."""
        if isinstance(module, External):
            return self.external(f"{module.path}.{name}" if module.path else name, scope)
        if not isinstance(module, ModuleValue):
            return Unknown()
        found = module.module.exported(name)
        if found is not None:
            return found
        if scope.module.is_python:
            dotted = f"{node.module}.{name}" if node.module else name
            if path := self.package.find(dotted, node.level, scope.module):
                loaded = self.load(path)
                return Unknown() if loaded is None else ModuleValue(loaded)
        return Unknown()

    def take_all(self, module: Value, scope: Scope) -> None:
        """Every name of a module is taken."""
        if isinstance(module, ModuleValue):
            for name, value in module.module.scope.variables.items():
                if not name.startswith("_"):
                    self.write(scope.variables, name, value)

    def uncalled(self) -> Iterator[Closure]:
        """The functions and methods of the modules that nobody has called."""
        for module in list(self.modules.values()):
            for value in list(module.scope.variables.values()):
                if isinstance(value, Closure):
                    yield value
                elif isinstance(value, ClassValue):
                    record = Record(complete=False, made_by=value)
                    for member in value.declaration.members:
                        if isinstance(member.value, s.Function):
                            yield Closure(member.value, value.scope, record, takes_this=not member.static)

    def follow(self, closure: Closure) -> None:
        """Carry out a function that nobody has called yet, with arguments that nobody knows."""
        try:
            self.frames = [Frame("")]
            count = len(closure.function.parameters)
            self._run_closure(closure, Request((Unknown(),) * count, {}, 0, closure.scope.module))
        except (Stopped, Returned, Left, RecursionError):
            return
