"""Files, keys, clock, processes, and opening a target."""
