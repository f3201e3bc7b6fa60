-- Purpose: take back what `change_rights.sql` did.
-- Parameters: none. Run by the migration, as the owner of the tables.
-- Rows: none.
GRANT UPDATE, DELETE ON consent_changerequest TO memsys_app;
