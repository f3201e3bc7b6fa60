"""The routes: parse, one call, render."""
