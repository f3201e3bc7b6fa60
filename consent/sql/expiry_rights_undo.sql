-- Purpose: take back the function that deletes old proofs, and its rights.
-- Parameters: none. Run by the migration, as the owner of the tables.
-- Rows: none.
SET LOCAL ROLE memsys_audit;

DROP FUNCTION memsys_audit.expire_proofs(uuid, integer, timestamptz, timestamptz);

RESET ROLE;

REVOKE SELECT, DELETE ON consent_releasereceipt, consent_disclosurereminder
    FROM memsys_audit;
DROP POLICY consent_releasereceipt_memsys_audit ON consent_releasereceipt;
DROP POLICY consent_disclosurereminder_memsys_audit ON consent_disclosurereminder;
