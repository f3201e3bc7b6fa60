"""The whole search, canaries first.

>>> scan("暗号7731").tables  # doctest: +SKIP
58
"""

from django.db import connections

from memsys.scanning.canaries import ALIAS, check_files, check_keys, check_tables
from memsys.scanning.files import list_files, list_roots, search_files
from memsys.scanning.forms import forms_of
from memsys.scanning.keys import count_keys, open_valkey, search_keys
from memsys.scanning.results import ScanFailed, Scanned
from memsys.scanning.tables import count_tables, list_columns, search_tables

LEAST_CHARS = 2


def scan(text: str) -> Scanned:
    """Look for a text in every table, key, queue and file, in bounded memory.

    Reads each table once, as the maintenance role.

    Raises:
        ScanFailed: it could not look everywhere, or misses its own canaries.
    """
    if len(text.strip()) < LEAST_CHARS:
        raise ScanFailed(f"The text must have at least {LEAST_CHARS} characters.")
    if ALIAS not in connections:
        raise ScanFailed("Set DATABASE_MAINTENANCE_URL: no other login sees all rows.")
    connection, client, forms = connections[ALIAS], open_valkey(), forms_of(text)
    roots = [one for one in list_roots() if one.is_dir()]
    listed = list_files(roots)
    check_tables(connection)
    check_keys(client)
    for root in roots:
        check_files(root)
    found = (
        *search_tables(connection, forms),
        *search_keys(client, forms),
        *search_files(listed.files, forms),
    )
    return Scanned(
        found=found,
        tables=count_tables(connection),
        columns=len(list_columns(connection)),
        keys=count_keys(client),
        files=len(listed.files),
        left_out=tuple(str(one) for one in listed.left_out),
    )
