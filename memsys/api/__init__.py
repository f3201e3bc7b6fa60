"""The REST API under /api/v1: parse, one call, render."""
