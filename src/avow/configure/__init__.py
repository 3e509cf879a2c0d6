"""Setting a server up: what to ask, whether the answers will do, whether it works with them, where they go."""
