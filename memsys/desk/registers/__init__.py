"""Read-only pages of the tables of consent: queues, holds, texts, fields, releases.

Owns what is listed and how it is told. Deeds on a row are pages of their own; the
templates here show the forms that lead to them.
"""
