"""identity: who is who, who talks with whom, and who may operate a relationship.

Plane A: built from relational facts alone; no model reads chat to build it.
"""
