-- Purpose: takes back audit_triggers.sql.
-- Parameters: none.
-- Rows: none.
DROP TRIGGER audit_no_truncate ON kernel_auditentry;
DROP TRIGGER audit_no_change ON kernel_auditentry;
DROP TRIGGER audit_chain ON kernel_auditentry;
SET LOCAL ROLE memsys_audit;
DROP FUNCTION memsys_audit.refuse_change();
DROP FUNCTION memsys_audit.chain_entry();
RESET ROLE;
