"""Puts the gate between any client and any server: `avow run`, `avow gateway`, and the way into clients."""
