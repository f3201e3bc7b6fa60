"""lexicon: the phrase tables of extraction as data, no rules.

Simplified script; Cantonese function words are read through `dialect`.
"""
