"""Probes of a running server: odd conversations, each in a fresh process or session, and what they prove."""
