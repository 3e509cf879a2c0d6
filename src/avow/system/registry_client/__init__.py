"""A registry as its users meet it: what it answers, and what of that has been proved."""
