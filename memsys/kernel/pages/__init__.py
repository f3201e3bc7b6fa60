"""How staff read rows: read-only pages of the admin, and the columns on them.

The apps' `admin.py` files build on it. It owns who may not write (nobody may), what
is masked, and the audit row of each look at a person; not which pages there are.
"""
