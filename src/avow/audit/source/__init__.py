"""Reading source trees: which files count, what they say about negotiation, what they ask us to ignore."""
