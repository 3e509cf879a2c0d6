"""Avow holds MCP servers to what they declare."""

__version__ = "0.1.0"
