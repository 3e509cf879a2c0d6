"""Finding the package behind a command, in installations laid out as npm, pip and uv lay them out."""

import base64
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from avow.core.artifact import Artifact
from avow.core.target import HttpTarget, StdioTarget
from avow.system.artifacts import find_artifact

SRI = "sha512-" + base64.b64encode(b"content").decode()


def install_npm(modules: Path, name: str, version: str = "1.2.3", *, noted: str | None = "1.2.3") -> Path:
    """A package as npm leaves it, with or without a note in the hidden lockfile."""
    package = modules / name
    package.mkdir(parents=True)
    (package / "package.json").write_text(json.dumps({"name": name, "version": version}))
    (package / "cli.js").touch()
    if noted:
        entry = {"version": noted, "integrity": SRI}
        (modules / ".package-lock.json").write_text(json.dumps({"packages": {f"node_modules/{name}": entry}}))
    return package


def install_wheel(site: Path, name: str, version: str = "1.2.3", *, installer: str = "pip") -> None:
    """A package as an installer leaves it: its own additions differ, the wheel's files do not."""
    label = f"{name.replace('-', '_')}-{version}.dist-info"
    info = site / label
    info.mkdir(parents=True)
    module = name.replace("-", "_")
    (site / module).mkdir()
    (site / module / "__main__.py").touch()
    (info / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n\nVersion: 9\n")
    (info / "WHEEL").write_text("Wheel-Version: 1.0\nTag: py3-none-any\n")
    (info / "entry_points.txt").write_text(f"[console_scripts]\n{name} = {module}:main\n")
    (info / "RECORD").write_text(
        f"../../../bin/{name},sha256={installer},9\n{label}/INSTALLER,sha256={installer},4\n{label}/RECORD,,\n"
        f"{label}/METADATA,sha256=aa,80\n{module}/__main__.py,sha256=bb,0\n{module}/__pycache__/x.pyc,,\n"
    )


@pytest.fixture
def environment(tmp_path: Path) -> Callable[..., Path]:
    """Make a Python environment with packages in it."""

    def make(place: str, *names: str, version: str = "1.2.3", installer: str = "pip") -> Path:
        prefix = tmp_path / place
        (prefix / "bin").mkdir(parents=True)
        (prefix / "pyvenv.cfg").touch()
        (prefix / "bin" / "python").touch(mode=0o755)
        for name in names:
            install_wheel(prefix / "lib" / "python3.11" / "site-packages", name, version, installer=installer)
            (prefix / "bin" / name).touch(mode=0o755)
        return prefix

    return make


DEMO = Artifact("npm", "demo", "1.2.3", SRI)


@pytest.mark.parametrize(
    ("args", "label", "pinned"),
    [
        pytest.param(("-y", "demo@1.2.3", "/tmp"), "demo@1.2.3", True, id="pinned"),
        pytest.param(("demo",), "demo", False, id="name only"),
        pytest.param(("--yes", "demo@latest"), "demo@latest", False, id="tag"),
        pytest.param(("--package", "demo@^1", "--", "other"), "demo@^1", False, id="package option"),
        pytest.param(("--package=demo", "other"), "demo", False, id="package option with a sign"),
        pytest.param(("--registry", "https://r", "demo"), "demo", False, id="option with a value"),
        pytest.param(("--", "demo"), "demo", False, id="after two dashes"),
    ],
)
def test_npx_runs_what_it_cached(tmp_path: Path, args: tuple[str, ...], label: str, pinned: bool) -> None:
    """npx names a directory after the specifier, so exactly that one is looked into."""
    place = tmp_path / ".npm" / "_npx" / hashlib.sha512(label.encode()).hexdigest()[:16]
    install_npm(place / "node_modules", "demo")

    found = find_artifact(StdioTarget("npx", args, cwd=str(tmp_path)), {"HOME": str(tmp_path)})

    assert found == Artifact("npm", "demo", "1.2.3", SRI, pinned=pinned)
    exec_ = find_artifact(StdioTarget("npm", ("exec", *args), cwd=str(tmp_path)), {"HOME": str(tmp_path)})
    assert exec_ == found


@pytest.mark.parametrize("name", ["npm_config_cache", "NPM_CONFIG_CACHE"])
def test_the_cache_may_be_elsewhere(tmp_path: Path, name: str) -> None:
    place = tmp_path / "cache" / "_npx" / hashlib.sha512(b"@scope/demo").hexdigest()[:16]
    install_npm(place / "node_modules", "@scope/demo")
    scoped = Artifact("npm", "@scope/demo", "1.2.3", SRI)
    cache = str(tmp_path / "cache")

    assert find_artifact(StdioTarget("npx", ("@scope/demo",), cwd="/"), {name: cache}) == scoped
    assert find_artifact(StdioTarget("npx", ("--cache", cache, "@scope/demo"), cwd="/"), {}) == scoped


@pytest.mark.parametrize(
    "args",
    [
        pytest.param((), id="nothing"),
        pytest.param(("-p", "a", "-p", "b", "c"), id="two packages"),
        pytest.param(("-c", "demo"), id="a shell line"),
        pytest.param(("github:owner/demo",), id="a repository"),
        pytest.param(("./demo",), id="a directory"),
        pytest.param(("missing",), id="not cached"),
    ],
)
def test_what_npx_would_run_may_be_unknown(tmp_path: Path, args: tuple[str, ...]) -> None:
    assert find_artifact(StdioTarget("npx", args, cwd=str(tmp_path)), {"HOME": str(tmp_path)}) is None


def test_the_project_comes_before_the_cache(tmp_path: Path) -> None:
    """Unless the command asks for another version than the project has."""
    install_npm(tmp_path / "node_modules", "demo", "1.2.3")
    inner = tmp_path / "src"
    inner.mkdir()
    place = tmp_path / ".npm" / "_npx" / hashlib.sha512(b"demo@2.0.0").hexdigest()[:16]
    install_npm(place / "node_modules", "demo", "2.0.0", noted="2.0.0")

    def found(spec: str) -> Artifact | None:
        return find_artifact(StdioTarget("npx", (spec,), cwd=str(inner)), {"HOME": str(tmp_path)})

    assert found("demo") == DEMO
    assert found("demo@1.2.3") == Artifact("npm", "demo", "1.2.3", SRI, pinned=True)
    assert found("demo@2.0.0") == Artifact("npm", "demo", "2.0.0", SRI, pinned=True)


def test_a_script_of_node_belongs_to_its_package(tmp_path: Path) -> None:
    install_npm(tmp_path / "node_modules", "demo")
    binary = tmp_path / "node_modules" / ".bin" / "demo"
    binary.parent.mkdir()
    binary.symlink_to("../demo/cli.js")
    (tmp_path / "own.js").touch()

    def found(command: str, *args: str) -> Artifact | None:
        path = {"PATH": str(binary.parent)}
        (tmp_path / "node_modules" / "demo" / "cli.js").chmod(0o755)
        return find_artifact(StdioTarget(command, args, cwd=str(tmp_path)), path)

    assert found("node", "node_modules/demo/cli.js") == DEMO
    assert found("node", "--require", "x", "--inspect", "node_modules/demo/cli.js") == DEMO
    assert found("node_modules/.bin/demo") == DEMO
    assert found("demo") == DEMO
    assert found("node", "own.js") is None
    assert found("node", "--version") is None
    assert found("node", "node_modules") is None


@pytest.mark.parametrize("noted", [None, "1.0.0"])
def test_integrity_is_unknown_when_npm_did_not_note_this_version(tmp_path: Path, noted: str | None) -> None:
    package = install_npm(tmp_path / "node_modules", "@scope/demo", noted=noted)

    found = find_artifact(StdioTarget("node", (str(package / "cli.js"),)), {})

    assert found == Artifact("npm", "@scope/demo", "1.2.3")


@pytest.mark.parametrize("manifest", ["[]", "{}", "{", '{"name": "demo", "version": 1}'])
def test_a_package_that_does_not_say_what_it_is_is_unknown(tmp_path: Path, manifest: str) -> None:
    package = install_npm(tmp_path / "node_modules", "demo")
    (package / "package.json").write_text(manifest)

    assert find_artifact(StdioTarget("node", (str(package / "cli.js"),)), {}) is None


def test_a_hidden_lockfile_of_another_shape_says_nothing(tmp_path: Path) -> None:
    package = install_npm(tmp_path / "node_modules", "demo")
    (tmp_path / "node_modules" / ".package-lock.json").write_text('{"packages": []}')

    assert find_artifact(StdioTarget("node", (str(package / "cli.js"),)), {}) == Artifact(
        "npm", "demo", "1.2.3"
    )


def test_a_script_or_a_module_belongs_to_its_distribution(environment: Callable[..., Path]) -> None:
    """And the same wheel has the same integrity, whoever installed it."""
    prefix = environment("venv", "demo-server", "other")
    elsewhere = environment("uv", "demo-server", installer="uv")

    script = find_artifact(StdioTarget(str(prefix / "bin" / "demo-server")), {})

    assert script is not None
    assert (script.type, script.name, script.version) == ("pypi", "demo-server", "1.2.3")
    assert script.variant == "py3-none-any"
    assert script.integrity.startswith("sha256:")
    for command, args in [
        (str(prefix / "bin" / "python"), ("-u", "-X", "dev", "-m", "demo_server", "--flag")),
        ("python", ("-m", "demo_server")),
        ("demo-server", ()),
        (str(elsewhere / "bin" / "demo-server"), ()),
    ]:
        assert find_artifact(StdioTarget(command, args), {"PATH": str(prefix / "bin")}) == script


@pytest.mark.parametrize(
    "args", [(), ("server.py", "-m", "demo"), ("-m",), ("-m", "missing"), ("-c", "pass")]
)
def test_what_python_would_run_may_be_unknown(
    environment: Callable[..., Path], args: tuple[str, ...]
) -> None:
    prefix = environment("venv", "demo")

    assert find_artifact(StdioTarget(str(prefix / "bin" / "python"), args), {}) is None


def test_an_installation_without_an_environment_has_packages_too(tmp_path: Path) -> None:
    """The interpreter's own version decides between two libraries below one prefix."""
    for version in ("3.11", "3.12"):
        install_wheel(tmp_path / "lib" / f"python{version}" / "site-packages", "demo", version)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3.12").touch(mode=0o755)
    (tmp_path / "bin" / "python3").symlink_to("python3.12")

    found = find_artifact(StdioTarget(str(tmp_path / "bin" / "python3"), ("-m", "demo")), {})

    assert found is not None
    assert found.version == "3.12"


def test_an_editable_installation_has_no_integrity(environment: Callable[..., Path]) -> None:
    """Its files are somebody's working copy and change all the time."""
    prefix = environment("venv", "demo")
    (info,) = (prefix / "lib" / "python3.11" / "site-packages").glob("*.dist-info")
    (info / "direct_url.json").write_text('{"url": "file:///demo", "dir_info": {"editable": true}}')

    found = find_artifact(StdioTarget(str(prefix / "bin" / "demo")), {})

    assert found == Artifact("pypi", "demo", "1.2.3", variant="py3-none-any")


@pytest.mark.parametrize(
    ("args", "pinned"),
    [
        (("demo", "--flag"), False),
        (("demo@latest",), False),
        (("demo@1.2.3",), True),
        (("--from", "demo==1.2.3", "other"), True),
        (("--from=demo[extra]>=1", "other"), False),
        (("--python", "3.11", "-q", "Demo"), False),
    ],
)
def test_uvx_runs_from_its_cache(
    environment: Callable[..., Path], tmp_path: Path, args: tuple[str, ...], pinned: bool
) -> None:
    environment("cache/environments-v2/one/two", "demo", "helper")
    environment("cache/environments-v2/three", "demo", "other")

    for command, prefix in (("uvx", ()), ("uv", ("tool", "run"))):
        found = find_artifact(
            StdioTarget(command, (*prefix, *args)), {"UV_CACHE_DIR": str(tmp_path / "cache")}
        )
        assert found is not None
        assert (found.name, found.version, found.pinned) == ("demo", "1.2.3", pinned)


def test_two_cached_versions_leave_it_open_which_one_runs(
    environment: Callable[..., Path], tmp_path: Path
) -> None:
    environment(".cache/uv/environments-v2/a/one", "demo", version="1.0")
    environment(".cache/uv/environments-v2/a/two", "demo", version="2.0")

    def found(spec: str) -> Artifact | None:
        return find_artifact(StdioTarget("uvx", (spec,)), {"HOME": str(tmp_path)})

    assert found("demo") is None
    assert found("git+https://example.com/demo") is None
    assert found("demo@3.0") is None
    pinned = found("demo@2.0")
    assert pinned is not None
    assert pinned.version == "2.0"


def test_an_installed_tool_comes_before_the_cache(environment: Callable[..., Path], tmp_path: Path) -> None:
    environment(".cache/uv/environments-v2/a/one", "demo", version="1.0")
    environment("data/uv/tools/demo", "demo", version="2.0")

    found = find_artifact(
        StdioTarget("uvx", ("demo",)), {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    )

    assert found is not None
    assert found.version == "2.0"


def test_uvx_without_a_name_is_unknown() -> None:
    assert find_artifact(StdioTarget("uvx", ("--help",)), {}) is None
    assert find_artifact(StdioTarget("uvx", ("--from",)), {}) is None


def test_other_programs_and_targets_have_no_package(tmp_path: Path) -> None:
    (tmp_path / "server").touch(mode=0o755)

    assert find_artifact(HttpTarget("https://example.com/mcp")) is None
    assert find_artifact(StdioTarget("not-installed-anywhere")) is None
    assert find_artifact(StdioTarget("./server", cwd=str(tmp_path))) is None


def test_an_installation_that_cannot_be_read_is_unknown(environment: Callable[..., Path]) -> None:
    prefix = environment("venv", "demo")
    (info,) = (prefix / "lib" / "python3.11" / "site-packages").glob("*.dist-info")
    (info / "METADATA").write_bytes(b"\xff\xfe")

    assert find_artifact(StdioTarget(str(prefix / "bin" / "demo")), {}) is None
