"""The package behind a command: written, read, and compared."""

from dataclasses import replace
from typing import Any

import pytest

from avow.core.artifact import Artifact, artifact_document, artifact_drift, read_artifact
from avow.core.severity import Severity
from avow.errors import MalformedInputError

APPROVED = Artifact("npm", "demo", "1.2.3", "sha512-AA== sha1-BB==")
WHEEL = Artifact("pypi", "demo", "1.2.3", "sha256:aa", "py3-none-any")


@pytest.mark.parametrize(
    "artifact", [APPROVED, WHEEL, Artifact("npm", "x", "1", pinned=True, extra={"by": "me"})]
)
def test_an_artifact_reads_back(artifact: Artifact) -> None:
    assert read_artifact(artifact_document(artifact)) == artifact


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        ("npm", "not an object"),
        ({"type": "npm", "name": "x"}, "version"),
        ({"type": "npm", "name": "x", "version": 1}, "version"),
        ({"type": "npm", "name": "x", "version": "1", "integrity": None}, "integrity"),
        ({"type": "npm", "name": "x", "version": "1", "pinned": 1}, "pinned"),
    ],
)
def test_an_artifact_of_another_shape_is_refused(document: Any, complaint: str) -> None:
    with pytest.raises(MalformedInputError, match=complaint):
        read_artifact(document)


@pytest.mark.parametrize(
    ("observed", "severity", "summary"),
    [
        pytest.param(replace(APPROVED, name="dem0"), Severity.CRITICAL, "another package", id="package"),
        pytest.param(replace(APPROVED, type="pypi"), Severity.CRITICAL, "another package", id="ecosystem"),
        pytest.param(
            replace(APPROVED, integrity="sha512-ZZ=="), Severity.CRITICAL, "other content", id="content"
        ),
        pytest.param(replace(APPROVED, version="1.10.0"), Severity.INFO, "1.2.3 became 1.10.0", id="newer"),
        pytest.param(replace(APPROVED, version="1.2.2"), Severity.MODERATE, "not a newer one", id="older"),
        pytest.param(replace(APPROVED, version="1.2.3-rc.1"), Severity.MODERATE, "not a newer one", id="rc"),
        pytest.param(replace(APPROVED, version="next"), Severity.MODERATE, "not a newer one", id="no number"),
        pytest.param(
            replace(APPROVED, integrity=""), Severity.INFO, "could not be compared", id="unknown content"
        ),
        pytest.param(
            replace(APPROVED, integrity="sha384-CC=="), Severity.INFO, "could not", id="other algorithm"
        ),
        pytest.param(replace(APPROVED, variant="linux"), Severity.INFO, "could not", id="other platform"),
        pytest.param(None, Severity.INFO, "was not found", id="not found"),
    ],
)
def test_a_difference_is_rated(observed: Artifact | None, severity: Severity, summary: str) -> None:
    (drift,) = artifact_drift(APPROVED, observed)

    assert drift.severity == severity
    assert summary in drift.summary


@pytest.mark.parametrize(
    ("approved", "observed"),
    [
        pytest.param(None, APPROVED, id="nothing was approved"),
        pytest.param(APPROVED, APPROVED, id="the same"),
        pytest.param(WHEEL, WHEEL, id="the same wheel"),
        pytest.param(APPROVED, replace(APPROVED, integrity="sha512-AA=="), id="one hash in common"),
        pytest.param(replace(APPROVED, integrity=""), APPROVED, id="no hash was known"),
    ],
)
def test_the_same_package_is_no_drift(approved: Artifact | None, observed: Artifact) -> None:
    assert artifact_drift(approved, observed) == ()


def test_a_pinned_version_that_changed_is_critical() -> None:
    """The command asks for 1.2.3 and something else is there: that is not an update."""
    (drift,) = artifact_drift(replace(APPROVED, pinned=True), replace(APPROVED, version="1.2.4"))

    assert drift.severity == Severity.CRITICAL


def test_the_release_after_a_candidate_is_newer() -> None:
    (drift,) = artifact_drift(replace(APPROVED, version="2.0.0-rc.1"), replace(APPROVED, version="2.0.0"))

    assert drift.severity == Severity.INFO
