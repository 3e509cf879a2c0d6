"""MCP as messages and states: no streams, no clock."""
