"""Looks for a text in everything that is stored: tables, keys, queues, files.

Owns the search that proves an erasure, canaries first: a search that would not find
what is there fails and says so. Changes nothing, and never tells the text.

>>> scan("暗号7731").found  # doctest: +SKIP
()
"""

from memsys.scanning.canaries import CanaryNotFound
from memsys.scanning.results import Found, ScanFailed, Scanned
from memsys.scanning.search import scan

__all__ = ["CanaryNotFound", "Found", "ScanFailed", "Scanned", "scan"]
