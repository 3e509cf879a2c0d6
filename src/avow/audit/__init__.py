"""The audit of capability negotiation: rules over source code, and probes of running servers."""
