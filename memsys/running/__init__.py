"""What memsys needs of one machine: packages, processes, accounts, folders.

`memsys.bootstrap`, `memsys.embedded` and `memsys.supervisor` are built on it. Nothing
here knows Django.
"""
