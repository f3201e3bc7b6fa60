-- Purpose: a chained row for each row of a governed table that is added, changed or
--   deleted, by whatever statement: what no service recorded is in the chain "rows".
-- Parameters: none. Run by the migration, as the owner of the tables.
-- Rows: none.
GRANT INSERT ON kernel_auditentry TO memsys_audit;

SET LOCAL ROLE memsys_audit;

-- Arguments of the trigger: the column that names the object, then columns that change
-- without anybody's deed. No value of any column is written down, but the name.
CREATE FUNCTION memsys_audit.note_row() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    before jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END;
    after jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END;
    whole jsonb := coalesce(after, before);
    changed jsonb;
BEGIN
    SELECT coalesce(jsonb_agg(key ORDER BY key), '[]'::jsonb) INTO changed
    FROM jsonb_object_keys(whole) AS key
    WHERE (before IS NULL OR after IS NULL OR before -> key IS DISTINCT FROM after -> key)
        AND NOT key = ANY (TG_ARGV[1:]);
    IF TG_OP = 'UPDATE' AND changed = '[]'::jsonb THEN
        RETURN NULL;
    END IF;
    INSERT INTO public.kernel_auditentry (
        id, chain, seq, actor, action, object_ref, field_names, reason_code,
        commitment, previous, digest)
    VALUES (
        -- A UUIDv7, which PostgreSQL makes itself from version 18 on alone.
        encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING
            substring(int8send(
                floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
            FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid,
        'rows', 0, 'system:database',
        'row.' || CASE TG_OP
            WHEN 'INSERT' THEN 'added' WHEN 'UPDATE' THEN 'changed' ELSE 'deleted' END,
        TG_TABLE_NAME || ':' || (whole ->> TG_ARGV[0]),
        changed, '', ''::bytea, ''::bytea, ''::bytea);
    RETURN NULL;
END $$;

RESET ROLE;
