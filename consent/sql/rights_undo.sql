-- Purpose: take back what `rights.sql` made.
-- Parameters: none. Run by the migration, as the owner of the tables.
-- Rows: none.
SET LOCAL ROLE memsys_audit;
REVOKE USAGE ON SCHEMA memsys_audit FROM memsys_app, memsys_staff, memsys_maintenance;
DROP FUNCTION memsys_audit.seal_access(uuid, integer);
DROP FUNCTION memsys_audit.digest_access(uuid);
RESET ROLE;
REVOKE ALL ON consent_accessrecord FROM memsys_audit;
DROP POLICY consent_accessrecord_memsys_audit ON consent_accessrecord;
ALTER TABLE consent_releasepolicy DROP CONSTRAINT consent_releasepolicy_class_fk;
GRANT SELECT, INSERT, UPDATE, DELETE ON consent_consentevent, consent_releasereceipt,
    consent_accessrecord, consent_disclosurereminder, consent_policyversion,
    consent_accessbatch TO memsys_app;
