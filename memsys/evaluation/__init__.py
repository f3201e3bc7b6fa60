"""Measures the parts that have a quality: recall, the privacy filter, time words.

Owns the formats of labelled files, the scoring and how results are shown. It ranks,
masks and reads time only through what the request path itself calls.
"""
