-- Purpose: narrower rights on what is only ever added, and the sealing of access rows.
-- Parameters: none. Run by the migration, as the owner of the tables.
-- Rows: none.
REVOKE UPDATE, DELETE ON consent_consentevent, consent_releasereceipt,
    consent_accessrecord, consent_disclosurereminder
    FROM memsys_app, memsys_staff, memsys_portal;
REVOKE UPDATE, DELETE ON consent_policyversion FROM memsys_app;
-- A later version that is material says from when this one needs renewal.
GRANT UPDATE (renewal_from) ON consent_policyversion TO memsys_app;
REVOKE UPDATE, DELETE ON consent_accessbatch FROM memsys_app;

-- The class of a field cannot be told otherwise in its policy.
ALTER TABLE consent_releasepolicy
    ADD CONSTRAINT consent_releasepolicy_class_fk FOREIGN KEY (field_id, data_class)
    REFERENCES consent_profilefield (key, data_class);

-- Whoever seals sees all unsealed rows, and changes nothing but their batch.
CREATE POLICY consent_accessrecord_memsys_audit ON consent_accessrecord
    FOR ALL TO memsys_audit USING (true) WITH CHECK (true);
GRANT SELECT, UPDATE (batch) ON consent_accessrecord TO memsys_audit;

SET LOCAL ROLE memsys_audit;

CREATE FUNCTION memsys_audit.digest_access(wanted uuid)
RETURNS TABLE (rows integer, first_at timestamptz, last_at timestamptz, digest bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT count(*)::integer, min(read_at), max(read_at),
        sha256(convert_to(coalesce(string_agg(jsonb_build_array(
            id, global_user_id, relationship_id, actor, action, memory_ids, field_keys,
            to_char(read_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
        )::text, E'\n' ORDER BY id), ''), 'UTF8'))
    FROM public.consent_accessrecord WHERE batch = wanted
$$;

CREATE FUNCTION memsys_audit.seal_access(wanted uuid, up_to integer)
RETURNS TABLE (rows integer, first_at timestamptz, last_at timestamptz, digest bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.consent_accessrecord AS record SET batch = wanted
    FROM (
        SELECT id, shard FROM public.consent_accessrecord
        WHERE batch IS NULL ORDER BY id LIMIT up_to
    ) AS chosen
    WHERE record.id = chosen.id AND record.shard = chosen.shard
        AND record.batch IS NULL;
    RETURN QUERY SELECT * FROM memsys_audit.digest_access(wanted);
END $$;

REVOKE ALL ON FUNCTION memsys_audit.digest_access(uuid),
    memsys_audit.seal_access(uuid, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memsys_audit.digest_access(uuid)
    TO memsys_app, memsys_staff, memsys_maintenance;
GRANT EXECUTE ON FUNCTION memsys_audit.seal_access(uuid, integer) TO memsys_app;
GRANT USAGE ON SCHEMA memsys_audit TO memsys_app, memsys_staff, memsys_maintenance;

RESET ROLE;
