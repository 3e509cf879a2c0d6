"""Typed, rated differences between what was approved and what is there.

`compare` finds them, `model` is their vocabulary, `grouping` sums up what changed alike. Nothing is
imported here: a lockfile is read without loading what compares two of them.
"""
