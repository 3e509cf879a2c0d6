"""What is dangerous about a declaration that somebody else wrote: names, defaults, and text to be shown."""

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from avow.core.configuration.model import Parameter, Where
from avow.core.credentials import is_credential, may_hold_credential
from avow.core.printable import printable

# Variables that decide which code runs, where programs and trust are looked for, or where traffic goes.
_LOADERS: Final = frozenset(
    {"PATH", "PATHEXT", "CDPATH", "HOME", "SHELL", "IFS", "ENV", "BASH_ENV", "ZDOTDIR", "PS4", "TMPDIR"}
    | {"TEMP", "TMP", "SYSTEMROOT", "WINDIR", "COMSPEC", "APPDATA", "LOCALAPPDATA", "USERPROFILE"}
    | {"HOMEDRIVE", "HOMEPATH", "APPINIT_DLLS", "SESSIONNAME", "PROGRAMDATA", "PROGRAMFILES"}
    | {"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONUSERBASE", "PYTHONEXECUTABLE"}
    | {"PYTHONPLATLIBDIR", "PYTHONBREAKPOINT", "PYTHONWARNINGS", "PYTHONPYCACHEPREFIX", "VIRTUAL_ENV"}
    | {
        "NODE_OPTIONS",
        "NODE_PATH",
        "NODE_EXTRA_CA_CERTS",
        "NODE_TLS_REJECT_UNAUTHORIZED",
        "NODE_REPL_HISTORY",
    }
    | {"RUBYOPT", "RUBYLIB", "GEM_PATH", "GEM_HOME", "BUNDLE_GEMFILE", "PERL5OPT", "PERL5LIB", "PERL5DB"}
    | {"CLASSPATH", "JAVA_HOME", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_OPTS"}
    | {"GOROOT", "GOPATH", "GO111MODULE", "GOFLAGS", "GOPROXY", "RUSTC_WRAPPER", "PHPRC", "PHP_INI_SCAN_DIR"}
    | {"LUA_PATH", "LUA_CPATH", "LUA_INIT", "DOTNET_STARTUP_HOOKS", "CORECLR_PROFILER_PATH"}
    | {"EDITOR", "VISUAL", "PAGER", "BROWSER", "MANPAGER", "LESSOPEN", "PROMPT_COMMAND"}
    | {"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "OPENSSL_CONF", "OPENSSL_MODULES", "SSH_AUTH_SOCK"}
    | {"SSH_ASKPASS", "SSLKEYLOGFILE", "GCONV_PATH", "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS"}
    | {"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY"}
    | {"PNPM_HOME", "MAKEFLAGS", "MAKEFILES", "SHELLOPTS", "BASHOPTS", "BASH_XTRACEFD", "GLIBC_TUNABLES"}
    | {"LOCPATH", "OPENSSL_ENGINES", "NODE_REDIRECT_WARNINGS", "NODE_V8_COVERAGE", "NODE_COMPILE_CACHE"}
    | {"MAVEN_OPTS", "GRADLE_OPTS", "JAVA_OPTIONS", "RUSTFLAGS", "RUSTC", "RUSTDOC", "GOTOOLCHAIN", "GOENV"}
    | {"ELIXIR_ERL_OPTIONS", "ERL_FLAGS", "ERL_AFLAGS", "ERL_ZFLAGS", "ERL_LIBS", "PSMODULEPATH"}
    | {"KUBECONFIG", "AWS_CA_BUNDLE", "AWS_CONFIG_FILE", "ELECTRON_RUN_AS_NODE", "SVN_SSH", "RSYNC_RSH"}
)
_LOADER_BEGINNINGS: Final = (
    *(
        "AVOW_",
        "BASH_FUNC_",
        "BUN_CONFIG_",
        "BUN_OPTIONS",
        "CARGO_",
        "COMPLUS_",
        "CONDA_",
        "CORECLR_",
        "COR_",
    ),
    *("COREPACK_", "DENO_", "DOTNET_", "DYLD_", "GIT_", "JULIA_", "LD_", "MALLOC_", "NPM_CONFIG_", "PIP_"),
    *("PIPX_", "POETRY_", "PYENV_", "R_LIBS", "R_PROFILE", "RUSTUP_", "SSL_CERT_", "TS_NODE_", "TSX_"),
    *("UV_", "XDG_", "YARN_"),
)
_LOADER_ENDINGS: Final = ("_PROXY",)

_SEPARATORS: Final = re.compile(r"[\\/]+")
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]*")
_HOMES: Final = frozenset({"~", "$HOME", "${HOME}", "%USERPROFILE%", "$env:USERPROFILE"})
_WHOLE: Final = frozenset(
    {"bin", "boot", "dev", "etc", "home", "lib", "media", "mnt", "opt", "private", "proc", "root", "run"}
    | {"sbin", "srv", "sys", "usr", "var", "Applications", "Library", "System", "Users", "Volumes", "Windows"}
)
_GUARDED: Final = frozenset({"boot", "dev", "etc", "proc", "root", "run", "sys"})
_PRIVATE: Final = frozenset(
    {".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config", ".netrc", ".npmrc", ".pypirc"}
    | {
        ".password-store",
        ".mozilla",
        ".claude",
        ".cursor",
        ".codex",
        ".gemini",
        ".git-credentials",
        "Keychains",
        "keyrings",
        ".bash_history",
        ".zsh_history",
        ".bashrc",
        ".zshrc",
        ".profile",
        ".gitconfig",
    }
)
_LISTED: Final = re.compile(r"[,;]")
_HALF_ADDRESS: Final = re.compile(r"(?i)(?:https?|wss?|ftp):[\\/]|[\\/]{2}[^\\/]")
_ADDRESS: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_ENCRYPTED: Final = frozenset({"https", "wss"})
_OF_FILES: Final = frozenset({"file", "npipe", "unix"})
_READ_DIFFERENTLY: Final = "it is an address that programs read differently"
_LOOPBACK: Final = re.compile(r"localhost|127(?:\.[0-9]{1,3}){3}|::1|\[::1\]")


def is_loader(name: str) -> bool:
    """Whether an environment variable decides which code runs, what is trusted, or where traffic goes."""
    upper = name.upper()
    return upper in _LOADERS or upper.startswith(_LOADER_BEGINNINGS) or upper.endswith(_LOADER_ENDINGS)


def sets_loader(parameter: Parameter) -> bool:
    """Whether a parameter would set such a variable."""
    return any(
        binding.where is Where.ENV and is_loader(binding.name)
        for binding in (parameter.binding, *parameter.also)
    )


def is_secret(parameter: Parameter) -> bool:
    """Whether nobody may see the value: declared so, or by a name that says so whatever is declared."""
    places = (parameter.binding, *parameter.also)
    names = (
        parameter.key,
        *parameter.aliases,
        *(name for place in places for name in (place.name, place.part)),
    )
    return parameter.secret or any(map(may_hold_credential, names))


def is_secret_value(parameter: Parameter, value: str | Sequence[str]) -> bool:
    """Whether nobody may see this value: by its parameter, or by its own shape."""
    return is_secret(parameter) or any(map(is_credential, (value,) if isinstance(value, str) else value))


def risky_default(parameter: Parameter) -> str | None:
    """Why a default has to be seen by a person before it is used; None when it may be used as it is."""
    default = parameter.default
    if default is None:
        return None
    if sets_loader(parameter):
        return "such a variable decides which code runs, what is trusted, or where traffic goes"
    values = default if isinstance(default, tuple) else (default,)
    reasons = (risky_value(value) for value in values if isinstance(value, str))
    return next(filter(None, reasons), None)


def risky_value(text: str) -> str | None:
    """Why a path or an address, or one of a list, gives more away than one would think; None for others."""
    pieces = (piece.strip() for piece in _LISTED.split(text))
    return next(filter(None, map(_risky_piece, pieces)), None)


def shown(text: str, limit: int | None = None) -> str:
    """Text of a declaration, safe to print, on one line."""
    return printable(text, limit, fold=True)


def _risky_piece(text: str) -> str | None:
    if found := _ADDRESS.match(text):
        return _risky_address(text, found[1].lower())
    if _HALF_ADDRESS.match(text):
        return _READ_DIFFERENTLY
    if text.lower().startswith("file:"):
        return _risky_piece(text[5:])
    if _DRIVE.match(text):
        return _risky_path(text)
    return next(filter(None, map(_risky_path, text.split(":"))), None)


def _risky_address(text: str, scheme: str) -> str | None:
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
    except ValueError:
        return _READ_DIFFERENTLY
    if scheme in _OF_FILES:
        return _risky_path(parts.path)
    if parts.username is not None:
        return "the address names a user"
    if scheme not in _ENCRYPTED and host and _LOOPBACK.fullmatch(host) is None:
        return "what is sent to this address is not encrypted"
    return None


def _risky_path(text: str) -> str | None:
    if _DRIVE.fullmatch(text):
        return "it is a whole drive"
    start, *steps = _SEPARATORS.split(text)
    is_home = start in _HOMES or start.startswith("~")
    path, climbs = _resolved(steps if is_home or not start else [start, *steps])
    if is_home and not path:
        return "it is the whole home directory"
    if not _PRIVATE.isdisjoint((start, *path)):
        return "it is where credentials are kept"
    if text.endswith(".sock"):
        return "another program listens there, and may do anything for whoever asks"
    if is_home:
        return "it is where credentials are kept" if path == ["Library"] else None
    # Whoever climbs far enough arrives at the root, wherever he is.
    return _risky_from_root(path) if climbs or (not start and steps) else None


def _risky_from_root(path: list[str]) -> str | None:
    if not path:
        return "it is the whole file system"
    if path[0] in _GUARDED or (len(path) == 1 and path[0] in _WHOLE):
        return "it belongs to the system, or to everybody"
    if len(path) == 2 and path[0] in ("home", "Users"):
        return "it is a whole home directory"
    if path[0] == "mnt" and len(path) in (2, 3) and len(path[1]) == 1:
        return "it is a whole drive"
    return None


def _resolved(steps: list[str]) -> tuple[list[str], bool]:
    """The steps of a path without those that lead nowhere or back, and whether they lead out of it."""
    path: list[str] = []
    climbs = False
    for step in steps:
        if step == "..":
            climbs = climbs or not path
            path = path[:-1]
        elif step not in ("", "."):
            path.append(step)
    return path, climbs
