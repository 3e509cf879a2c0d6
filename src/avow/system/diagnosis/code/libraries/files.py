"""Files and accounts on a machine where nothing was set up: what the package did not bring is not there."""

from collections.abc import Callable
from typing import Final

from avow.system.diagnosis.code.ground import Stopped
from avow.system.diagnosis.code.ledger import Ways
from avow.system.diagnosis.code.values import (
    NOTHING,
    Configured,
    Known,
    Model,
    Program,
    Record,
    Request,
    Unknown,
    Value,
    depends_of,
    text_of,
    ways_of,
)

HOME: Final = "<home>"
"""What depends on this is a path in somebody's home or working directory."""
_HOMES: Final = frozenset(
    {"os.homedir", "homedir", "Path.home", "pathlib.Path.home", "process.cwd", "os.getcwd", "Path.cwd"}
    | {"pathlib.Path.cwd", "os.default.homedir", "platformdirs.user_config_dir", "platformdirs.user_data_dir"}
)
_EXISTING: Final = ("existsSync", "path.exists", "path.isfile", "path.isdir", "pathExists")
_READING: Final = (
    "readFileSync",
    ".readFile",
    "accessSync",
    "_from_file",
    "_client_secrets_file",
    "_account_file",
)
_WRITING: Final = ("writeFileSync", ".writeFile", "mkdirSync", ".mkdir", "makedirs")
_PATHS: Final = frozenset(
    {"os.path.join", "os.path.abspath", "os.path.realpath", "os.path.expandvars", "path.join", "path.resolve"}
    | {"path.default.join", "path.default.resolve", "join", "resolve", "path.normalize", "os.path.normpath"}
)


def recognise(path: str) -> Callable[[Program, Request], Value] | None:
    """What is known about a function, by its path."""
    if path in _HOMES:
        return lambda _program, _request: Unknown(truth=True, depends=frozenset({HOME}))
    if path.endswith(("fileURLToPath", "realpathSync", "path.normalize")):
        return _same_file
    if path.endswith("pathToFileURL"):
        return _file_address
    if path in _PATHS:
        return _path
    if path in {"os.path.expanduser", "pathlib.Path", "Path"}:
        return _expanded
    if path.endswith(_EXISTING):
        return _exists
    if path.endswith(_READING) or path in {"open", "io.open"}:
        return _read
    if path.endswith(_WRITING):
        return _write
    if path == "google.auth.default" or (path.startswith("google.cloud.") and path.endswith("Client")):
        return _google
    return _profile if path in {"boto3.Session", "boto3.session.Session"} else None


def _same_file(program: Program, request: Request) -> Value:
    text = text_of(program.settle(request.argument(0) or NOTHING))
    return _path(program, request) if text is None else Known(text.removeprefix("file://"))


def _file_address(program: Program, request: Request) -> Value:
    text = text_of(program.settle(request.argument(0) or NOTHING))
    address: Value = Unknown(truth=True) if text is None else Known(f"file://{text}")
    return Record({"href": address, "pathname": request.argument(0) or NOTHING})


def _path(_program: Program, request: Request) -> Value:
    first = request.argument(0)
    if len(request.arguments) == 1 and isinstance(first, Known) and str(first.value).startswith("/"):
        return first
    return Unknown(truth=True, depends=depends_of(*request.arguments))


def _expanded(_program: Program, request: Request) -> Value:
    first = request.argument(0)
    depends = depends_of(*request.arguments)
    if isinstance(first, Known) and isinstance(first.value, str) and first.value.startswith("~"):
        depends |= {HOME}
    return Unknown(truth=True, depends=depends)


def _outside(program: Program, value: Value | None) -> tuple[bool, Ways]:
    """Whether a path certainly leads to nothing, and what would have to be given for it to lead elsewhere."""
    if value is None or "<written>" in program.models:
        return False, ()
    depends = depends_of(value)
    ways = ways_of(value) or tuple(frozenset({key}) for key in sorted(depends) if not key.startswith("<"))
    settled = program.settle(value)
    is_relative = (
        isinstance(settled, Known) and isinstance(settled.value, str) and _is_relative(settled.value)
    )
    return (HOME in depends or bool(ways) or is_relative), ways


def _is_relative(path: str) -> bool:
    return bool(path) and not path.startswith("/") and "\n" not in path


def _exists(program: Program, request: Request) -> Value:
    outside, ways = _outside(program, request.argument(0))
    if not outside:
        return Unknown()
    return Configured(ways, Known(value=False), Known(value=True)) if ways else Known(value=False)


def _read(program: Program, request: Request) -> Value:
    mode = request.argument(1, "mode")
    if isinstance(mode, Known) and str(mode.value)[:1] in {"w", "a", "x"}:
        return _write(program, request)
    outside, ways = _outside(program, request.argument(0))
    if outside and not program.truth(Configured(ways, Known(value=False), Known(value=True))).value:
        place = f"{request.module.name}:{request.line}"
        if ways:
            program.insist(ways, "FileNotFoundError", place, "the file that it names is not there")
        else:
            raise Stopped("throw", "FileNotFoundError", Unknown(truth=True))
    return Unknown()


def _write(program: Program, request: Request) -> Value:
    outside, _ = _outside(program, request.argument(0))
    if outside:
        program.models["<written>"] = Model()
    return Unknown()


def _google(program: Program, request: Request) -> Value:
    """Google's libraries look for credentials of their own when they are given none."""
    given = request.keywords.get("credentials", NOTHING)
    name = "GOOGLE_APPLICATION_CREDENTIALS"
    value = program.variable(name, request.module.scope, request.line)
    if program.truth(given).value is False and program.truth(value).value is False:
        ways = (frozenset({name}), *ways_of(given))
        place = f"{request.module.name}:{request.line}"
        program.insist(ways, "DefaultCredentialsError", place, "Google's library ends without credentials")
    return Unknown(truth=True)


def _profile(program: Program, request: Request) -> Value:
    """Amazon's library ends when a profile that is named is not there."""
    profile = request.argument(3, "profile_name")
    ways = ways_of(profile) if profile is not None and program.truth(profile).value else ()
    if ways and not any(way <= program.given for way in ways):
        place = f"{request.module.name}:{request.line}"
        program.insist(ways, "ProfileNotFound", place, "the profile that it names is not there")
    return Unknown(truth=True)
