-- Purpose: proofs are only ever added by the application; what is older than the law's
--   floor can be deleted through one function, and nothing that is younger.
-- Parameters: none. Run by the migration, as the owner of the tables.
-- Rows: none.
CREATE POLICY consent_releasereceipt_memsys_audit ON consent_releasereceipt
    FOR ALL TO memsys_audit USING (true) WITH CHECK (true);
CREATE POLICY consent_disclosurereminder_memsys_audit ON consent_disclosurereminder
    FOR ALL TO memsys_audit USING (true) WITH CHECK (true);
GRANT SELECT, DELETE ON consent_releasereceipt, consent_disclosurereminder
    TO memsys_audit;

SET LOCAL ROLE memsys_audit;

CREATE FUNCTION memsys_audit.expire_proofs(
    wanted uuid, bucket integer,
    receipts_before timestamptz, reminders_before timestamptz)
RETURNS TABLE (receipts integer, reminders integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM public.consent_releasereceipt
    WHERE shard = bucket AND global_user_id = wanted
        AND released_at < LEAST(receipts_before, now() - interval '1095 days');
    GET DIAGNOSTICS receipts = ROW_COUNT;
    DELETE FROM public.consent_disclosurereminder
    WHERE shard = bucket AND global_user_id = wanted
        AND shown_at < LEAST(reminders_before, now() - interval '180 days');
    GET DIAGNOSTICS reminders = ROW_COUNT;
    RETURN NEXT;
END $$;

REVOKE ALL ON FUNCTION memsys_audit.expire_proofs(
    uuid, integer, timestamptz, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memsys_audit.expire_proofs(
    uuid, integer, timestamptz, timestamptz) TO memsys_app;

RESET ROLE;
