-- Purpose: takes back audit_row_trigger.sql.
-- Parameters: none.
-- Rows: none.
SET LOCAL ROLE memsys_audit;
DROP FUNCTION memsys_audit.note_row();
RESET ROLE;
REVOKE INSERT ON kernel_auditentry FROM memsys_audit;
