"""MCP as messages and states: envelopes, versions, negotiation and the gate; no streams, no clock."""
