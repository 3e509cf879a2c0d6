"""Reading an installed package's own code: what it takes from its environment and its command line."""
