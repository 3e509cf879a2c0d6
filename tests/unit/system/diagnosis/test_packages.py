"""Finding the code of a server, and what its manifests say."""

import json
import sys
import time
from pathlib import Path

from avow.core.target import HttpTarget, StdioTarget
from avow.system.diagnosis.diagnosing import diagnose
from avow.system.diagnosis.evidence import Evidence, Outcome
from avow.system.diagnosis.manifests import read_manifests
from avow.system.diagnosis.packages import Package, find_package

SERVER_JSON = {
    "name": "io.example/thing",
    "packages": [
        {
            "registryType": "npm",
            "identifier": "thing",
            "environmentVariables": [
                {"name": "THING_TOKEN", "isRequired": True, "isSecret": True, "description": "A token"},
                {"name": "THING_MODE", "default": "fast"},
            ],
        }
    ],
}


def write(path: Path, document: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_a_script_belongs_to_the_project_around_it(tmp_path: Path) -> None:
    """The nearest directory with a manifest, or the script's own."""
    write(tmp_path / "app" / "package.json", {"name": "app"})
    script = tmp_path / "app" / "dist" / "index.js"
    script.parent.mkdir()
    script.touch()
    lone = tmp_path / "lone.py"
    lone.touch()

    assert find_package(StdioTarget("node", (str(script),)), {}) == Package(tmp_path / "app", script=script)
    assert find_package(StdioTarget(sys.executable, ("lone.py",), cwd=str(tmp_path)), {}) == Package(
        tmp_path, script=lone
    )


def test_what_npx_cached_is_found(tmp_path: Path) -> None:
    """npx keeps each package in a directory that is named after what was asked for."""
    import hashlib

    label = hashlib.sha512(b"thing").hexdigest()[:16]
    package = tmp_path / ".npm" / "_npx" / label / "node_modules" / "thing"
    write(package / "package.json", {"name": "thing", "version": "1.0.0"})
    target = StdioTarget("npx", ("-y", "thing"), cwd=str(tmp_path))

    assert find_package(target, {"HOME": str(tmp_path)}) == Package(package)


def test_a_console_script_is_found_in_its_environment(tmp_path: Path) -> None:
    """The distribution is named, since an environment holds many."""
    site = tmp_path / "lib" / "python3.11" / "site-packages"
    info = site / "thing_mcp-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: thing-mcp\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[console_scripts]\nthing = thing:main\n", encoding="utf-8")
    script = tmp_path / "bin" / "thing"
    script.parent.mkdir()
    script.touch(mode=0o755)

    assert find_package(StdioTarget(str(script)), {"PATH": ""}) == Package(site, "thing-mcp")


def test_what_is_elsewhere_has_no_code_here() -> None:
    """An address, a program of the system, an empty name."""
    assert find_package(HttpTarget("https://example.com/mcp"), {}) is None
    assert find_package(StdioTarget("docker", ("run", "thing")), {"PATH": ""}) is None


def test_a_registry_entry_in_the_package_names_what_is_required(tmp_path: Path) -> None:
    """Without any code or output, and it says where it is from."""
    write(tmp_path / "server.json", SERVER_JSON)

    found = diagnose(Evidence(Outcome.NOT_TRIED, package=tmp_path), "thing")

    assert found.status == "needs_configuration"
    assert [(one.binding.name, one.source.origin, one.secret) for one in found.required] == [
        ("THING_TOKEN", "manifest", True)
    ]


def test_a_bundle_and_a_schema_are_read_as_well(tmp_path: Path) -> None:
    """MCPB says which variable a value goes to; Smithery's schema often does not, and is then passed over."""
    bundle = {
        "manifest_version": "0.3",
        "name": "thing",
        "server": {"mcp_config": {"command": "node", "args": [], "env": {"THING_KEY": "${user_config.key}"}}},
        "user_config": {"key": {"type": "string", "title": "Key", "description": "d", "required": True}},
    }
    write(tmp_path / "manifest.json", bundle)
    (tmp_path / "smithery.yaml").write_text(
        "startCommand:\n  type: stdio\n  configSchema:\n    type: object\n    required: [apiKey]\n"
        "    properties:\n      apiKey: {type: string}\n",
        encoding="utf-8",
    )

    names = [one.binding.name for each in read_manifests(tmp_path) for one in each]

    assert names == ["THING_KEY"]


def test_files_that_are_something_else_are_passed_over(tmp_path: Path) -> None:
    """A web application has a manifest.json too."""
    write(tmp_path / "manifest.json", {"short_name": "App", "icons": []})
    (tmp_path / "server.json").write_text("{", encoding="utf-8")
    (tmp_path / "smithery.yaml").write_text("- [", encoding="utf-8")
    write(tmp_path / "package.json", {"name": "x"})

    assert read_manifests(tmp_path) == ()


def test_a_manifest_that_stands_for_more_than_memory_holds_is_passed_over_soon(tmp_path: Path) -> None:
    """Twelve lines that each name the one before nine times are 9^12 values; brackets nest without end."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    lines += [
        "startCommand:",
        "  configSchema: {type: object, properties: {a: {type: string, default: *a11}}}",
    ]
    for text in ("\n".join(lines), "[" * 500_000, "[" * 60_000, "- " * 30_000):
        (tmp_path / "smithery.yaml").write_text(text, encoding="utf-8")
        started = time.process_time()

        assert read_manifests(tmp_path) == ()
        assert time.process_time() - started < 5
