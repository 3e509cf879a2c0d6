"""Setting a server up: what to ask, whether answers will do, whether it works, and where to keep them."""
