"""The start-up check of the database login.

Owns the refusal to serve as a login that row-level security does not bind.

>>> check_login()  # doctest: +SKIP
"""

from django.db import connection

from memsys.kernel.scope.errors import UnsafeLogin
from memsys.kernel.sql import load_sql


def check_login() -> None:
    """Refuse a login that could read past the policies. One query.

    Raises:
        UnsafeLogin: the login is a superuser, owns tables, has BYPASSRLS, or
            inherits the rights of a role that it should only enter.
    """
    with connection.cursor() as cursor:
        cursor.execute(load_sql("kernel", "login_faults"))
        faults = [name for name, is_fault in cursor.fetchall() if is_fault]
    if faults:
        raise UnsafeLogin(
            "The database login must not serve: it " + ", ".join(faults) + ". "
            "Use the login memsys_app that `manage.py prepare_database` makes."
        )
