"""Questions on a terminal: one line at a time, with what is known shown and secrets unseen."""
