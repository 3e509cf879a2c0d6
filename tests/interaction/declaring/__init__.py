"""Conversations with declared servers, as they go over the wire."""
