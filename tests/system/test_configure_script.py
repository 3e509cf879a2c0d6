"""`avow configure` without a terminal: everything missing at once, secrets never on a command line."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from configure_helpers import CLONE, FILES, GITHUB, OTHER_TOKEN, TOKEN, Desk, variable


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_without_a_terminal_everything_missing_is_named_at_once(desk: Desk) -> None:
    desk.serve({**GITHUB, **FILES})

    ended = desk.configure()

    assert ended.returncode == 1
    assert "GITHUB_TOKEN and allowed-directory are not set" in ended.stderr
    assert "--set allowed-directory=VALUE" in ended.stderr
    assert "--set-stdin GITHUB_TOKEN" in ended.stderr
    assert desk.files() == {}


def test_what_is_missing_is_a_document_on_request(desk: Desk) -> None:
    desk.serve({**GITHUB, **FILES})

    document = desk.document()

    assert document["status"] == "needs_configuration"
    assert document["missing"] == [
        {"name": "GITHUB_TOKEN", "kind": "env", "sensitive": True},
        {"name": "allowed-directory", "kind": "argument", "sensitive": False},
    ]


def test_the_files_server_gets_its_directories_as_arguments(desk: Desk) -> None:
    """The first example of the proposal."""
    desk.serve(FILES)
    one, two = desk.directory / "one", desk.directory / "two with blanks"
    one.mkdir()
    two.mkdir()

    ended = desk.configure("--set", "allowed-directory=one", "--set", f"allowed-directory={two}")

    assert ended.returncode == 0, ended.stderr
    assert desk.given["arguments"] == [str(one), str(two)]
    assert desk.where()["allowed-directory"] == ("store", f"{one}, {two}")


def test_the_github_server_gets_its_token(desk: Desk) -> None:
    """The second example of the proposal."""
    desk.serve(GITHUB, accepts={"GITHUB_TOKEN": TOKEN})

    ended = desk.configure("--set-stdin", "GITHUB_TOKEN", stdin=f"{TOKEN}\n")

    assert ended.returncode == 0, ended.stderr
    assert desk.given["environment"]["GITHUB_TOKEN"] == TOKEN
    assert desk.where()["GITHUB_TOKEN"] == ("store", "****6789")


def test_the_clone_server_keeps_its_default(desk: Desk) -> None:
    """The third example of the proposal."""
    desk.serve(CLONE)

    ended = desk.configure("--set", "source-directory=/tmp", "--set", "destination-directory=/var/tmp")

    assert ended.returncode == 0, ended.stderr
    assert desk.given["arguments"] == ["/tmp", "/var/tmp"]
    assert desk.given["environment"]["CLONE_PRESERVE_PERMISSIONS"] == "true"
    assert desk.where()["CLONE_PRESERVE_PERMISSIONS"] == ("default", "true")


def test_source_and_destination_must_differ_where_a_project_says_so(desk: Desk) -> None:
    desk.serve(CLONE)
    rule = '[[servers.demo.constraints]]\ndiffer = ["source-directory", "destination-directory"]\n'
    (desk.directory / "avow.toml").write_text(rule, encoding="utf-8")

    document = desk.document("--set", "source-directory=/tmp", "--set", "destination-directory=/tmp")

    assert document["status"] == "needs_configuration"
    assert len(document["violated"]) == 1
    assert "source-directory" in document["violated"][0]


def test_a_preset_of_the_project_is_used_and_told(desk: Desk) -> None:
    desk.serve({"environmentVariables": [variable("LOG_LEVEL", required=True)]})
    table = '[servers.demo.presets.development]\nLOG_LEVEL = "debug"\n'
    (desk.directory / "avow.toml").write_text(table, encoding="utf-8")

    (found,) = desk.document("--where", "--preset", "development")["parameters"]

    assert (found["source"], found["value"]) == ("project", "debug")
    assert desk.configure("--preset", "production").returncode == 2


def test_settings_that_changed_are_shown_and_need_a_yes_beside_what_is_stored(desk: Desk) -> None:
    desk.serve({"environmentVariables": [*GITHUB["environmentVariables"], variable("GH_HOST")]})
    assert desk.configure("--set-stdin", "GITHUB_TOKEN", stdin=TOKEN).returncode == 0
    table = '[servers.demo.configuration]\nGH_HOST = "https://example.com"\n'
    (desk.directory / "avow.toml").write_text(table, encoding="utf-8")

    (withheld,) = desk.document("--where")["parameters"][0]["withheld"]
    refused = desk.configure("--set", "GH_HOST=https://other.example")
    nothing_yet = desk.where()["GITHUB_TOKEN"]
    agreed = desk.configure("--yes")

    assert "nobody has agreed to them yet, or they have changed since" in withheld["reason"]
    assert refused.returncode == 1
    assert "say --yes to agree to the settings" in refused.stderr
    assert nothing_yet == (None, "")
    assert agreed.returncode == 0, agreed.stderr
    assert "GH_HOST = https://example.com" in agreed.stderr
    assert desk.where() == {
        "GITHUB_TOKEN": ("store", "****6789"),
        "GH_HOST": ("project", "https://example.com"),
    }


def test_who_only_takes_something_away_agrees_to_no_settings(desk: Desk) -> None:
    desk.serve(
        {"environmentVariables": [*GITHUB["environmentVariables"], variable("GH_HOST"), variable("GH_ORG")]}
    )
    given = ("--set-stdin", "GITHUB_TOKEN", "--set", "GH_ORG=us")
    assert desk.configure(*given, stdin=TOKEN).returncode == 0
    table = '[servers.demo.configuration]\nGH_HOST = "https://example.com"\n'
    (desk.directory / "avow.toml").write_text(table, encoding="utf-8")

    assert desk.configure("--forget", "GH_ORG").returncode == 0

    assert desk.where()["GITHUB_TOKEN"] == (None, "")


def test_a_secret_on_the_command_line_is_refused_and_the_way_out_is_named(desk: Desk) -> None:
    desk.serve(GITHUB)

    ended = desk.configure("--set", f"GITHUB_TOKEN={TOKEN}")

    assert ended.returncode == 2
    assert "--set-stdin GITHUB_TOKEN" in ended.stderr
    assert TOKEN not in ended.stderr


def test_a_name_that_looks_secret_is_secret_whatever_is_declared(desk: Desk) -> None:
    desk.serve({"environmentVariables": [variable("API_KEY", required=True, sensitive=False)]})

    assert desk.configure("--set", "API_KEY=abcdefgh").returncode == 2


def test_a_value_that_looks_secret_is_secret_whatever_its_name(desk: Desk) -> None:
    """Neither on the command line, nor in a file, nor on the screen."""
    desk.serve({"environmentVariables": [variable("PLACE", required=True)]})
    address = "https://me:s3cr3t-word@example.com/"

    refused = desk.configure("--set", f"PLACE={address}")
    kept = desk.document("--set-stdin", "PLACE", stdin=address)

    assert refused.returncode == 2
    assert "s3cr3t" not in refused.stderr
    assert (kept["status"], kept["saved"]) == ("configured", ["PLACE"])
    assert desk.given["environment"]["PLACE"] == address
    assert desk.where()["PLACE"] == ("store", "****com/")
    assert not any(b"s3cr3t-word" in data for data in desk.files().values())


def test_of_several_secrets_none_is_repeated_when_the_server_complains_about_one(desk: Desk) -> None:
    """Whatever the parameter is called."""
    keys = variable("ROOTS", required=True, multiple=True, sensitive=True)
    desk.serve({"environmentVariables": [keys]}, accepts={"ROOTS": "others"})
    desk.extra = {"ONE": "first-key/1+one", "TWO": "second-key-2-two"}

    ended = desk.configure("--set-from-env", "ROOTS=ONE", "--set-from-env", "ROOTS=TWO")

    assert ended.returncode == 1
    assert "GET /user with [ROOTS]: 401" in ended.stderr
    assert "first-key" not in ended.stderr


def test_a_secret_comes_from_a_variable_or_a_file(desk: Desk) -> None:
    desk.serve({"environmentVariables": [variable("A_TOKEN", required=True), variable("B_TOKEN")]})
    desk.extra = {"ELSEWHERE": "from-the-environment"}
    (desk.directory / "b").write_text("from-the-file\n", encoding="utf-8")

    ended = desk.configure("--set-from-env", "A_TOKEN=ELSEWHERE", "--set-file", "B_TOKEN=b")

    assert ended.returncode == 0, ended.stderr
    assert desk.given["environment"]["A_TOKEN"] == "from-the-environment"
    assert desk.given["environment"]["B_TOKEN"] == "from-the-file"


def test_rejected_credentials_are_told_apart_and_nothing_is_saved(desk: Desk) -> None:
    desk.serve(GITHUB, accepts={"GITHUB_TOKEN": TOKEN})

    document = desk.document("--set-stdin", "GITHUB_TOKEN", stdin=OTHER_TOKEN)

    assert document["status"] == "rejected"
    assert "401 Unauthorized" in document["output"]
    assert OTHER_TOKEN not in json.dumps(document)
    assert desk.where()["GITHUB_TOKEN"] == (None, "")


def test_a_server_that_cannot_start_is_told_apart_and_nothing_is_saved(desk: Desk) -> None:
    desk.serve(GITHUB, dies=["GITHUB_TOKEN"])

    document = desk.document("--set-stdin", "GITHUB_TOKEN", stdin=TOKEN)

    assert document["status"] == "cannot_start"
    assert document["saved"] == []
    assert desk.where()["GITHUB_TOKEN"] == (None, "")


def test_who_insists_may_save_what_does_not_work(desk: Desk) -> None:
    desk.serve(GITHUB, accepts={"GITHUB_TOKEN": TOKEN})

    document = desk.document("--save-anyway", "--set-stdin", "GITHUB_TOKEN", stdin=OTHER_TOKEN)

    assert (document["status"], document["saved"]) == ("rejected", ["GITHUB_TOKEN"])
    assert desk.where()["GITHUB_TOKEN"] == ("store", "****wxyz")


def test_a_rule_is_named_and_the_value_is_not(desk: Desk) -> None:
    desk.serve({"environmentVariables": [variable("PORT", type="number", required=True)]})

    ended = desk.configure("--set", "PORT=eighty-eighty")

    assert ended.returncode == 1
    assert "PORT must be a number" in ended.stderr
    assert "eighty" not in ended.stderr


def test_what_is_gone_is_dropped_with_a_word(desk: Desk) -> None:
    """The next release of a server asks for something else: the old value goes, the new one is missing."""
    old, new = variable("OLD_TOKEN", required=True), variable("NEW_NAME", required=True)
    desk.serve({"environmentVariables": [old]})
    assert desk.configure("--set-stdin", "OLD_TOKEN", stdin="something-old").returncode == 0
    desk.serve({"environmentVariables": [new]})

    assert [one["name"] for one in desk.document()["missing"]] == ["NEW_NAME"]
    ended = desk.configure("--set", "NEW_NAME=new")

    assert ended.returncode == 0, ended.stderr
    assert "OLD_TOKEN" in ended.stdout
    assert desk.where() == {"NEW_NAME": ("store", "new")}


def test_one_value_can_be_forgotten_and_all_of_them(desk: Desk) -> None:
    desk.serve({"environmentVariables": [variable("ONE", required=True), variable("TWO")]})
    assert desk.configure("--set", "ONE=1", "--set", "TWO=2").returncode == 0

    assert desk.configure("--forget", "TWO").returncode == 0
    assert desk.where() == {"ONE": ("store", "1"), "TWO": (None, "")}
    assert desk.configure("--reset").returncode == 2
    assert desk.configure("--reset", "--yes").returncode == 0
    assert desk.where()["ONE"] == (None, "")


def test_a_loader_variable_is_refused_unless_somebody_insists(desk: Desk) -> None:
    desk.serve({"environmentVariables": [variable("NODE_OPTIONS"), variable("NAME", required=True)]})

    refused = desk.configure("--set", "NODE_OPTIONS=--require=/tmp/evil.js", "--set", "NAME=n")
    allowed = desk.configure(
        "--allow-variable", "NODE_OPTIONS", "--set", "NODE_OPTIONS=--no-warnings", "--set", "NAME=n"
    )

    assert refused.returncode == 2
    assert "--allow-variable NODE_OPTIONS" in refused.stderr
    assert allowed.returncode == 0, allowed.stderr
    assert desk.given["environment"]["NODE_OPTIONS"] == "--no-warnings"


def test_the_surrounding_environment_is_never_used_by_itself(desk: Desk) -> None:
    """A server that asks for somebody else's credential does not get it for being there."""
    desk.serve({"environmentVariables": [variable("AWS_SECRET_ACCESS_KEY", required=True)]})
    desk.extra = {"AWS_SECRET_ACCESS_KEY": "very-much-a-secret"}

    ended = desk.configure()

    assert ended.returncode == 1
    assert "AWS_SECRET_ACCESS_KEY" not in desk.given["environment"]


def test_a_default_that_gives_away_the_machine_is_not_used_by_itself(desk: Desk) -> None:
    desk.serve({"environmentVariables": [variable("ROOT", type="path", required=True, default="/")]})

    assert desk.configure().returncode == 1
    assert desk.configure("--set", "ROOT=/").returncode == 0
    assert desk.given["environment"]["ROOT"] == "/"


def test_a_server_that_declares_nothing_is_asked_about_what_it_misses(desk: Desk) -> None:
    desk.serve(needs=["SLACK_TOKEN", "SLACK_TEAM"])

    assert "SLACK_TOKEN" in [one["name"] for one in desk.document()["missing"]]
    ended = desk.configure("--set-stdin", "SLACK_TOKEN", "--set", "SLACK_TEAM=T1", stdin="xoxb-12345678")

    assert ended.returncode == 0, ended.stderr
    assert desk.given["environment"]["SLACK_TEAM"] == "T1"
    assert desk.configure("--yes").returncode == 0


def test_a_namesake_gets_nothing(desk: Desk) -> None:
    """Another program under the same name is another server: nothing that is stored reaches it."""
    desk.serve(GITHUB)
    assert desk.configure("--set-stdin", "GITHUB_TOKEN", stdin=TOKEN).returncode == 0
    (desk.directory / "server.py").rename(desk.directory / "other.py")
    words = [word if word != "server.py" else "other.py" for word in desk.words("--format", "json")]

    ended = desk.run(words)

    assert ended.returncode == 1
    assert "GITHUB_TOKEN" not in desk.given["environment"]


def test_the_secret_is_in_no_output_and_no_file(desk: Desk) -> None:
    """After a whole life of a secret nobody finds it by looking, and only the server has seen it."""
    desk.serve(GITHUB, accepts={"GITHUB_TOKEN": TOKEN})
    said = [
        desk.configure("--set-stdin", "GITHUB_TOKEN", stdin=OTHER_TOKEN),
        desk.configure("--set-stdin", "GITHUB_TOKEN", stdin=TOKEN),
        desk.configure("--where"),
        desk.configure("--where", "--format", "json"),
        desk.configure("--yes"),
    ]

    assert desk.given["environment"]["GITHUB_TOKEN"] == TOKEN
    assert any("server.py" in command for command in desk.given["commands"])
    for secret in (TOKEN, OTHER_TOKEN):
        assert not any(secret in command for command in desk.given["commands"])
        assert not any(secret in ended.stdout + ended.stderr for ended in said)
        assert not any(secret.encode() in data for data in desk.files().values())


def test_secrets_are_moved_out_of_a_client_configuration(desk: Desk) -> None:
    """The token stands in clear in a client's file: it goes to the store, and `avow run` takes its place."""
    desk.serve(GITHUB, accepts={"GITHUB_TOKEN": TOKEN})
    config = desk.directory / "mcp.json"
    entry = {"command": sys.executable, "args": ["server.py"], "env": {"GITHUB_TOKEN": TOKEN, "OTHER": "1"}}
    config.write_text(json.dumps({"mcpServers": {"demo": entry}}), encoding="utf-8")
    words = [sys.executable, "-m", "avow", "configure", "demo", "--config", str(config), "--move", "--yes"]

    ended = desk.run(words)

    assert ended.returncode == 0, ended.stderr
    after = json.loads(config.read_text(encoding="utf-8"))["mcpServers"]["demo"]
    assert after["env"] == {"OTHER": "1"}
    assert "run" in after["args"]
    where = [sys.executable, "-m", "avow", "configure", "demo", "--config", str(config), "--where"]
    assert "****6789" in desk.run(where).stdout
    assert TOKEN not in config.read_text(encoding="utf-8")
    assert TOKEN not in ended.stdout + ended.stderr


def test_an_argument_that_would_be_filled_in_from_the_environment_is_refused(desk: Desk) -> None:
    """A default of a server could name any variable of ours, and would get its value at start."""
    template = {"name": "template", "description": "A template", "type": "string", "required": False}
    name = {"name": "NAME", "description": "A name", "type": "string", "required": True}
    schema = {"arguments": [{**template, "default": "${MY_SECRET}"}], "environmentVariables": [name]}
    desk.serve(schema)
    desk.extra = {"MY_SECRET": "the-value-of-my-secret"}

    ended = desk.configure("--set", "NAME=n")

    assert ended.returncode == 1
    assert "a variable of yours would be filled in" in ended.stderr
    assert "the-value-of-my-secret" not in json.dumps(desk.given)


def test_an_http_server_that_turns_us_away_is_asked_for_a_header(desk: Desk) -> None:
    with serve_behind("Bearer good-token-1234") as address:
        words = [sys.executable, "-m", "avow", "configure", address, "--format", "json"]
        missing = json.loads(desk.run(words).stdout)
        wrong = json.loads(desk.run([*words, "--set-stdin", "Authorization"], "Bearer bad-token").stdout)
        right = json.loads(
            desk.run([*words, "--set-stdin", "Authorization"], "Bearer good-token-1234").stdout
        )

    assert [one["name"] for one in missing["missing"]] == ["Authorization"]
    assert (wrong["status"], wrong["saved"]) == ("rejected", [])
    assert (right["status"], right["saved"]) == ("configured", ["Authorization"])


def test_a_saved_snapshot_cannot_be_configured(desk: Desk) -> None:
    assert desk.run([sys.executable, "-m", "avow", "configure", "snapshot.json"]).returncode == 2


@contextmanager
def serve_behind(password: str) -> Iterator[str]:
    """A small HTTP server that answers only to whoever knows the word."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.headers.get("Authorization") != password:
                self._answer(401, b"")
            elif "id" not in request:
                self._answer(202, b"")
            else:
                message = {"jsonrpc": "2.0", "id": request["id"], **self._result(request)}
                self._answer(200, json.dumps(message).encode())

        def _result(self, request: dict[str, Any]) -> dict[str, Any]:
            match request["method"]:
                case "initialize":
                    version = request["params"]["protocolVersion"]
                    server = {"name": "small", "version": "1"}
                    return {"result": {"protocolVersion": version, "capabilities": {}, "serverInfo": server}}
                case _:
                    return {"error": {"code": -32601, "message": "Method not found"}}

        def do_GET(self) -> None:
            self._answer(405, b"")

        def _answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002  its name there
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/mcp"
        finally:
            server.shutdown()


def test_a_server_is_locked_with_what_was_configured_for_it(desk: Desk) -> None:
    """The lockfile names what the server needs, and whoever has not configured it is told so."""
    desk.serve(GITHUB, accepts={"GITHUB_TOKEN": TOKEN})
    assert desk.configure("--set-stdin", "GITHUB_TOKEN", stdin=TOKEN).returncode == 0
    python, server = [sys.executable, "-m", "avow"], [sys.executable, "server.py"]

    locked = desk.run([*python, "lock", "--yes", "--name", "demo", "--", *server])
    checked = desk.run([*python, "check"])

    assert (locked.returncode, checked.returncode) == (0, 0), locked.stderr + checked.stderr
    lockfile = (desk.directory / "avow.lock").read_text(encoding="utf-8")
    assert json.loads(lockfile)["servers"]["demo"]["target"]["env"] == ["GITHUB_TOKEN"]
    assert TOKEN not in lockfile
    desk.home = desk.home.parent / "another"
    desk.home.mkdir()
    elsewhere = desk.run([*python, "check"])
    assert elsewhere.returncode == 1
    assert "avow configure demo" in elsewhere.stdout
