"""The GitHub Action and the pre-commit hooks, by running what they run."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
BAD = ROOT / "tests" / "audit_cases" / "AVW030" / "bad_get.py"
GOOD = ROOT / "tests" / "audit_cases" / "AVW041" / "good_guarded.py"


def action() -> Any:
    return YAML(typ="safe").load(ROOT / "action.yml")


def step(name: str) -> str:
    """The script of a step."""
    [script] = [one["run"] for one in action()["runs"]["steps"] if one.get("name") == name]
    assert isinstance(script, str)
    return script


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    """What a runner has after the installation: Avow in a directory of its own, and a checkout."""
    binaries = tmp_path / "temp" / "avow" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "avow").symlink_to(Path(sys.executable).parent / "avow")
    (tmp_path / "checkout").mkdir()
    return tmp_path


def run_step(runner: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    defaults = {name: value["default"] for name, value in action()["inputs"].items()}
    given = {**defaults, **{name.replace("_", "-"): value for name, value in inputs.items()}}
    environment = {
        **os.environ,
        "RUNNER_TEMP": str(runner / "temp"),
        "GITHUB_OUTPUT": str(runner / "output"),
        "AVOW_COMMAND": given["command"],
        "AVOW_ARGUMENTS": given["arguments"],
        "AVOW_SARIF": given["sarif-file"],
        "AVOW_PROBE": given["probe"],
    }
    # As GitHub runs `shell: bash`.
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step("run")]
    return subprocess.run(
        command, cwd=runner / "checkout", env=environment, capture_output=True, text=True, timeout=60
    )


def test_the_action_fails_on_a_bad_server(runner: Path) -> None:
    (runner / "checkout" / "server.py").write_text(BAD.read_text())

    done = run_step(runner)

    assert done.returncode == 1
    assert "AVW030" in done.stdout
    assert (runner / "output").read_text() == "exit-code=1\n"


def test_the_action_writes_sarif_and_passes_arguments_on(runner: Path) -> None:
    (runner / "checkout" / "my server").mkdir()
    (runner / "checkout" / "my server" / "server.py").write_text(BAD.read_text())

    done = run_step(runner, arguments="--select\nAVW030\nmy server", sarif_file="found.sarif")
    results = json.loads((runner / "checkout" / "found.sarif").read_text())["runs"][0]["results"]

    assert done.returncode == 1
    [result] = results
    where = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert (result["ruleId"], where) == ("AVW030", "my%20server/server.py")


def test_a_link_in_the_checkout_leads_the_result_nowhere(runner: Path) -> None:
    (runner / "checkout" / "server.py").write_text(BAD.read_text())
    (runner / "precious").write_text("mine")
    (runner / "checkout" / "found.sarif").symlink_to(runner / "precious")

    run_step(runner, sarif_file="found.sarif")

    assert (runner / "precious").read_text() == "mine"
    assert not (runner / "checkout" / "found.sarif").is_symlink()


def test_the_action_passes_on_a_good_server(runner: Path) -> None:
    (runner / "checkout" / "server.py").write_text(GOOD.read_text())

    assert run_step(runner, arguments="server.py\n--fail-on\nhigh").returncode == 0


def test_what_could_not_be_looked_at_leaves_nothing_to_upload(runner: Path) -> None:
    done = run_step(runner, sarif_file="found.sarif")

    assert done.returncode == 2
    assert not (runner / "checkout" / "found.sarif").exists()


def test_the_action_checks_locked_servers_too(runner: Path) -> None:
    """Without a lockfile there is nothing to check, and that is no success."""
    assert run_step(runner, command="check", arguments="").returncode == 2


@pytest.mark.parametrize("command", ["run", "audit; echo pwned", ""])
def test_the_action_runs_nothing_else(runner: Path, command: str) -> None:
    done = run_step(runner, command=command)

    assert done.returncode == 2
    assert "command is check or audit" in done.stdout


def test_installing_runs_nothing_of_the_checkout(runner: Path, tmp_path: Path) -> None:
    """The step is run where a pull request could at most hope for it: in the checkout itself."""
    for name in ("venv", "pip", "ensurepip", "argparse"):
        (runner / "checkout" / f"{name}.py").write_text(f"open('pwned-by-{name}', 'w')\nraise SystemExit\n")
    (runner / "temp" / "avow" / "bin" / "avow").unlink()
    wheel = tmp_path / "package"
    wheel.mkdir()
    (wheel / "pyproject.toml").write_text("no project: pip ends here")
    [install] = [one for one in action()["runs"]["steps"] if one.get("name") == "install"]
    environment = {**os.environ, "RUNNER_TEMP": str(runner / "temp"), "AVOW_SOURCE": str(wheel)}

    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", install["run"]]
    subprocess.run(command, cwd=runner / "checkout", env=environment, capture_output=True, timeout=120)

    assert (runner / "temp" / "avow" / "bin" / "python").exists(), "it did not get that far"
    assert [path.name for path in (runner / "checkout").glob("pwned*")] == []
    assert install["working-directory"] == "${{ runner.temp }}"


def test_the_action_starts_no_server_unless_told_so(runner: Path) -> None:
    configured = {"mcpServers": {"src": {"command": "touch", "args": ["pwned"]}}}
    (runner / "checkout" / ".mcp.json").write_text(json.dumps(configured))

    reading = run_step(runner, arguments="src")
    probing = run_step(runner, arguments="src", probe="true")

    assert (reading.returncode, probing.returncode) == (2, 2)
    assert "'src' is no directory and no source file" in reading.stderr
    assert "avow audit --config" in probing.stderr
    assert not (runner / "checkout" / "pwned").exists()


def test_names_of_files_are_no_commands_to_the_runner(runner: Path) -> None:
    (runner / "checkout" / "a\n::error::forged.py").write_text(BAD.read_text())

    lines = run_step(runner).stdout.splitlines()

    assert lines[0].startswith("::stop-commands::")
    assert lines[-1] == f"::{lines[0].rpartition('::')[2]}::"
    assert [line for line in lines[1:-1] if line.startswith("::")] == []


def test_everything_that_the_action_uses_is_pinned() -> None:
    used = [one["uses"] for one in action()["runs"]["steps"] if "uses" in one]

    assert used
    assert [name for name in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name)] == []


def test_the_action_has_no_weakness_that_zizmor_knows() -> None:
    zizmor = Path(sys.executable).parent / "zizmor"
    done = subprocess.run(
        [zizmor, "--offline", "--no-progress", ROOT / "action.yml"],
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 0, done.stdout


def hook(name: str) -> list[str]:
    [found] = [one for one in YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml") if one["id"] == name]
    assert found["pass_filenames"] is False
    return [*shlex.split(found["entry"]), *found.get("args", [])]


def run_hook(name: str, directory: Path) -> int:
    command = hook(name)
    command[0] = str(Path(sys.executable).parent / command[0])
    return subprocess.run(command, cwd=directory, capture_output=True, timeout=60).returncode


def test_the_hook_for_the_audit(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(BAD.read_text())
    assert run_hook("avow-audit", tmp_path) == 1

    (tmp_path / "server.py").write_text(GOOD.read_text())
    assert run_hook("avow-audit", tmp_path) == 0


def test_the_hook_for_the_check(tmp_path: Path) -> None:
    assert run_hook("avow-check", tmp_path) == 2


@pytest.mark.real
def test_the_action_installs_itself(tmp_path: Path) -> None:
    environment = {**os.environ, "RUNNER_TEMP": str(tmp_path), "AVOW_SOURCE": str(ROOT)}
    subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step("install")], env=environment, check=True, timeout=600
    )
    done = subprocess.run([tmp_path / "avow" / "bin" / "avow", "--version"], capture_output=True, timeout=60)

    assert done.returncode == 0
