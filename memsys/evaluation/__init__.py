"""Measures what has a quality: recall, extraction, the privacy filter, time words.

Owns the formats of labelled files, the scoring and how results are shown; our own sets
of chats are in `sets/`. It ranks, extracts, masks and reads time only through what the
service itself calls.
"""
