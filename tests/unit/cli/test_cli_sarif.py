"""SARIF that validates, and points at lines."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from avow.cli.output.sarif import drift
from avow.errors import ServerLaunchError
from avow.system.checking import Compared, Failed
from drift_reports import BROKEN, CLEAN, DRIFTED, HOSTILE, WIDER, report

SCHEMA = json.loads((Path(__file__).parents[2] / "data" / "sarif-schema-2.1.0.json").read_text())
LOCKFILE = """\
{
  "lockfileVersion": 1,
  "servers": {
    "notes": {
      "prompts": [],
      "tools": [
        {
          "definition": {
            "name": "read_note"
          },
          "digest": "sha256:…",
          "name": "read_note"
        }
      ]
    }
  }
}
"""


def validated(text: str) -> Any:
    document = json.loads(text)
    jsonschema.Draft4Validator(SCHEMA).validate(document)
    return document["runs"][0]


@pytest.mark.parametrize(
    "outcomes", [(), (CLEAN,), (DRIFTED, CLEAN, BROKEN), (Compared("h", None, None, (HOSTILE,)),)]
)
def test_every_report_is_valid(outcomes: tuple[Any, ...]) -> None:
    """Against the schema that OASIS publishes."""
    validated(drift(report(*outcomes)))


def test_a_result_has_a_level_a_place_and_a_fingerprint(tmp_path: Path) -> None:
    """The place is the line of the capability in the lockfile, where it can be found."""
    lockfile = tmp_path / "avow.lock"
    lockfile.write_text(LOCKFILE)

    first, second, allowed = validated(drift(report(DRIFTED, file=lockfile)))["results"]

    place = first["locations"][0]["physicalLocation"]
    assert (first["ruleId"], first["level"]) == ("tool_changed", "error")
    assert place == {"artifactLocation": {"uri": lockfile.as_uri()}, "region": {"startLine": 12}}
    assert second["locations"][0]["physicalLocation"]["region"] == {"startLine": 4}
    assert second["level"] == "note"
    assert first["partialFingerprints"] != second["partialFingerprints"]
    assert allowed["suppressions"][0]["justification"] == "we asked for it"


def test_a_fingerprint_does_not_depend_on_the_place(tmp_path: Path) -> None:
    """A line added above must not make an old finding new."""
    lockfile = tmp_path / "avow.lock"
    lockfile.write_text(LOCKFILE)
    found = Compared("notes", None, None, (WIDER,))

    here, there = (validated(drift(report(found, file=path)))["results"][0] for path in (lockfile, None))

    assert here["partialFingerprints"] == there["partialFingerprints"]


def test_a_server_that_could_not_be_looked_at_makes_the_run_unsuccessful() -> None:
    """Whoever reads the results must not take their absence for good news."""
    invocation = validated(drift(report(BROKEN)))["invocations"][0]

    assert invocation["executionSuccessful"] is False
    assert "mailer" in invocation["toolExecutionNotifications"][0]["message"]["text"]


def test_a_message_is_safe_to_print() -> None:
    """It ends up in terminals and web pages."""
    text = drift(report(Compared("h", None, None, (HOSTILE,))))

    assert "\x1b" not in json.loads(text)["runs"][0]["results"][0]["message"]["text"]
    assert text.isascii()


def test_no_name_becomes_a_link() -> None:
    """Viewers make links of `[text](address)` in plain messages, too; a backslash takes that away."""
    linking = replace(WIDER, name="[click](http://evil)", summary="a \\[b](1)")
    broken = Failed("[mail](1)", ServerLaunchError("no [x](http://evil)", hint="see [y](2)"))

    run = validated(drift(report(Compared("h", None, None, (linking,)), broken)))

    message = run["results"][0]["message"]["text"]
    assert message == r"h: tool \[click\](http://evil) a \\\[b\](1)."
    failure = run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
    assert failure == r"\[mail\](1): no \[x\](http://evil)" + "\n" + r"see \[y\](2)"
