"""Tables of which the database itself chains each change of a row.

Owns the triggers' statements; which tables these are is said by migrations. What they
write is in `audit_row_trigger.sql`.

>>> govern("auth_user", "id", "last_login").endswith("note_row('id', 'last_login')")
True
"""

TRIGGER = "audit_row"


def govern(table: str, name: str, *unheeded: str) -> str:
    """Return the statement that has a table's changes chained, a row for each row.

    `name` is the column by which the audit names a row, `unheeded` are columns that
    change without anybody's deed. It fires at the end of the transaction, after the
    deeds of the services, so that the chains are locked in one order.
    """
    columns = ", ".join(f"'{one}'" for one in (name, *unheeded))
    return (
        f'CREATE CONSTRAINT TRIGGER {TRIGGER} AFTER INSERT OR UPDATE OR DELETE ON "{table}"'
        " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
        f" EXECUTE FUNCTION memsys_audit.note_row({columns})"
    )


def let_go(table: str) -> str:
    """Return the statement that takes it back."""
    return f'DROP TRIGGER {TRIGGER} ON "{table}"'
