"""Typed, rated differences between what was approved and what is there."""

from avow.core.drift.compare import diff
from avow.core.drift.grouping import Group, group_alike
from avow.core.drift.model import Change, Drift, DriftType, Effect, drift_document, highest

__all__ = [
    "Change",
    "Drift",
    "DriftType",
    "Effect",
    "Group",
    "diff",
    "drift_document",
    "group_alike",
    "highest",
]
