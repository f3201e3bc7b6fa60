"""Rehearses failure: a simulated week in which workers die and the model misbehaves.

Owns the week, the blows, the model server that fails on purpose, and what must hold
afterwards. It runs the real programs on servers of its own; what is rehearsed is
reached through its API, its queue and its tables alone.
"""
