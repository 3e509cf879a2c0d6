"""What a server declares in a way that nobody can follow: told, and never passed."""

from pathlib import Path

import pytest

from avow.audit.model import Pattern, Verdict
from avow.audit.report import Report
from avow.audit.scan import scan

SERVER = """
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import given from "./capabilities.json";
%s
server.registerTool("add", {}, async () => ({ content: [] }));
"""
MADE = "const server = new McpServer({ name: 'a', version: '1' }, { capabilities: %s });"


def scanned(root: Path, statements: str) -> Report:
    path = root / "server.ts"
    path.write_text(SERVER % statements)
    return scan(path)


@pytest.mark.parametrize(
    "statements",
    [
        MADE % "given",
        MADE % "Object.fromEntries(['tools', 'prompts'].map((key) => [key, {}]))",
        MADE % "JSON.parse(process.env.CAPABILITIES)",
        MADE % "{ tools: {}, [process.env.MORE]: {} }",
        MADE % "{ tools: {}, ...given }",
        "const all: any = {};\nfor (const key of ['tools', 'prompts']) all[key] = {};\n" + MADE % "all",
        "export function make(all: object) {\n" + MADE % "all" + "\n}\nlet server: any;",
        "const server = new McpServer({ name: 'a', version: '1' }, given);",
    ],
)
def test_a_declaration_that_cannot_be_followed_is_no_pass(tmp_path: Path, statements: str) -> None:
    report = scanned(tmp_path, statements)

    assert report.scorecard[Pattern.MINIMAL_DECLARATION] is Verdict.UNKNOWN
    assert any("could not follow which capabilities are declared here" in note for note in report.notes)


@pytest.mark.parametrize(
    "statements",
    [
        MADE % "{ tools: {} }",
        MADE % "{ ...(process.env.A && { tools: {} }) }",
        MADE % "{ tools: { listChanged: process.env.A === '1' } }",
        "const server = new McpServer({ name: process.env.A, version: '1' });",
        "const server = new McpServer(given);",
        "const server = new McpServer({ name: 'a', version: '1' }, { instructions: given.text });",
    ],
)
def test_one_that_can_be_followed_passes(tmp_path: Path, statements: str) -> None:
    report = scanned(tmp_path, statements)

    assert report.scorecard[Pattern.MINIMAL_DECLARATION] is Verdict.PASS
    assert report.notes == ()


def test_handlers_under_names_that_cannot_be_followed_decide_nothing(tmp_path: Path) -> None:
    """They may answer what is declared, or not."""
    declared = MADE % "{ tools: {}, prompts: {} }"

    report = scanned(tmp_path, declared + "\nserver.server.setRequestHandler(anything, async () => ({}));")

    assert report.scorecard[Pattern.MINIMAL_DECLARATION] is Verdict.UNKNOWN
    assert any("declares prompts, and nothing here answers prompts/list" in note for note in report.notes)


def test_helpers_that_hand_a_claim_to_each_other_without_end_are_given_up(tmp_path: Path) -> None:
    calls = "".join(f"f{number}(c.a{number}); " for number in range(60))
    helpers = "".join(f"function f{number}(c) {{ {calls} }}\n" for number in range(60))
    path = tmp_path / "server.ts"
    path.write_text(
        f"{helpers}"
        'import { Server } from "@modelcontextprotocol/sdk/server/index.js";\n'
        'import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";\n'
        "const server = new Server({ name: 'a' }, { capabilities: {} });\n"
        "server.setRequestHandler(InitializeRequestSchema, async (r) => { f0(r.params.capabilities); });\n"
    )

    report = scan(path)

    assert "there is more behind the handlers of initialize than an audit follows" in report.notes
    assert report.scorecard[Pattern.FEATURE_GRANTS] is Verdict.UNKNOWN
