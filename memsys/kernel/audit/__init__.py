"""Append-only, hash-chained record of every deed."""
