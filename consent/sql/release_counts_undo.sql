-- Purpose: take back what `release_counts.sql` made.
-- Parameters: none. Run by the migration, as the owner of the tables.
-- Rows: none.
SET LOCAL ROLE memsys_audit;
DROP FUNCTION memsys_audit.count_granting(text, text, uuid, timestamptz, integer);
RESET ROLE;
REVOKE SELECT ON identity_relationship, identity_creatorpersona, consent_policyversion,
    consent_consentgrant FROM memsys_audit;
DROP POLICY consent_consentgrant_memsys_audit ON consent_consentgrant;
