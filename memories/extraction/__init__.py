"""extraction: from the messages of a session to candidate facts, by rules.

Owns what a plain statement of the user looks like, whose fact a sentence is, and which
date it means. Owns no storage, no model call and no slot that is already filled. Pure:
messages in, candidates out, so the same session gives the same facts at any time.

>>> from memories.extraction.rules import extract
>>> extract([], time_zone="Asia/Shanghai")
[]
"""
