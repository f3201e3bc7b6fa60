-- Purpose: takes back check_rights.sql.
-- Parameters: none.
-- Rows: none.
GRANT UPDATE, DELETE ON kernel_auditcheck TO memsys_app, memsys_maintenance;
REVOKE SELECT (happened_at) ON kernel_outboxevent FROM memsys_portal;
REVOKE INSERT ON kernel_outboxevent FROM memsys_staff, memsys_portal;
