"""The registry: what servers have published, how it changed, who approved it, in a log nobody can rewrite."""
