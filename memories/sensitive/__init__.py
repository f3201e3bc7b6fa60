"""Sensitive statements: the table of categories, and what finds them in a text.

Owns which categories there are, as data with an owner (`table.toml`), its check and
its use on a text. Does not own whether a user allows one; that is asked of consent.
"""
