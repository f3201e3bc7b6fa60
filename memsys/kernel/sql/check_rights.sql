-- Purpose: who may tell outsiders of what happens, and that a verification stays told.
-- Parameters: none. Run by the migration, as the owner of the tables.
-- Rows: none.
-- Deeds of the desk and the portal emit events in their own roles.
GRANT INSERT ON kernel_outboxevent TO memsys_staff, memsys_portal;
GRANT SELECT (happened_at) ON kernel_outboxevent TO memsys_portal;
REVOKE UPDATE, DELETE ON kernel_auditcheck FROM memsys_app, memsys_maintenance;
