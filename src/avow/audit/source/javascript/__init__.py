"""JavaScript and TypeScript: their syntax trees in the terms of the audit."""

from avow.audit.source.javascript.reading import read_unit

__all__ = ["read_unit"]
