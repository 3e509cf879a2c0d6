"""Typed, rated differences between what was approved and what is there."""

from avow.core.drift.model import Change, Drift, DriftType, Effect

__all__ = ["Change", "Drift", "DriftType", "Effect"]
