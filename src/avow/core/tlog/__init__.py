"""A transparency log as values: hashes, trees, proofs, tiles, signed notes, checkpoints and entries."""
