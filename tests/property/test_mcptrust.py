"""Laws of the interchange with MCPTrust: what is written is read, and a server never drifts from itself."""

import json

from hypothesis import HealthCheck, assume, given, settings

from avow.core.canonical import JsonValue, canonical
from avow.core.mcptrust import compare_with_mcptrust, dumps_mcptrust, loads_mcptrust
from avow.core.mcptrust.go_json import canonical_v1, canonical_v2, is_exact
from avow.core.severity import Severity
from avow.core.snapshot import Snapshot
from avow.errors import UsageError
from snapshot_strategies import numbers, snapshots, values

laws = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


@laws
@given(numbers)
def test_both_forms_give_the_same_double_back(number: float) -> None:
    assert float(json.loads(canonical_v1(number))) == float(number)
    assert float(json.loads(canonical_v2(number))) == float(number)


@laws
@given(values)
def test_both_forms_are_json_of_the_same_value(value: JsonValue) -> None:
    """For values that a double can hold; the others are the reason for `is_exact`."""
    assume(is_exact(value))

    assert canonical(json.loads(canonical_v1(value))) == canonical(_without_negative_zero(value))
    assert canonical(json.loads(canonical_v2(value))) == canonical(_without_negative_zero(value))


@laws
@given(values, values)
def test_exact_values_share_a_form_only_when_they_are_equal(one: JsonValue, other: JsonValue) -> None:
    assume(is_exact(one) and is_exact(other))
    same = canonical(one) == canonical(other)

    assert (canonical_v2(one) == canonical_v2(other)) is same


@laws
@given(snapshots)
def test_a_server_agrees_with_its_own_export(snapshot: Snapshot) -> None:
    """Nothing but what MCPTrust cannot hold at all is reported."""
    try:
        data = dumps_mcptrust(snapshot, None, generator="test", updated_at="2026-01-01T00:00:00Z")
    except UsageError:
        return

    drifts = compare_with_mcptrust(loads_mcptrust(data), snapshot)

    assert all(drift.severity == Severity.CRITICAL and "cannot tell" in drift.summary for drift in drifts)
    assert not drifts or not all(is_exact(capability.definition) for capability in snapshot.signature)


def _without_negative_zero(value: JsonValue) -> JsonValue:
    return json.loads(json.dumps(value), parse_float=lambda text: float(text) + 0.0)
