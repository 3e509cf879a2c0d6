"""Python: its syntax trees in the terms of the audit."""

from avow.audit.source.python.reading import read_unit

__all__ = ["read_unit"]
