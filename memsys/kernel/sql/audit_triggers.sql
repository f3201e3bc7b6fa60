-- Purpose: the chain is made by the database, and nobody can change it afterwards.
-- Parameters: none. Run by the migration, as the owner of the tables.
-- Rows: none.
REVOKE ALL ON kernel_auditentry, kernel_audithead, kernel_auditpayload
    FROM memsys_app, memsys_staff, memsys_portal, memsys_maintenance;
GRANT INSERT ON kernel_auditentry, kernel_auditpayload
    TO memsys_app, memsys_staff, memsys_portal;
GRANT SELECT ON kernel_auditentry, kernel_audithead, kernel_auditpayload
    TO memsys_staff, memsys_maintenance;
GRANT SELECT (entry_id, subject), DELETE ON kernel_auditpayload
    TO memsys_app, memsys_maintenance;
GRANT SELECT, INSERT, UPDATE ON kernel_audithead TO memsys_audit;
GRANT SELECT ON kernel_auditpayload TO memsys_audit;

SET LOCAL ROLE memsys_audit;

CREATE FUNCTION memsys_audit.chain_entry() RETURNS trigger
-- With pg_temp unnamed, a caller's temporary types would be found first.
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    head record;
BEGIN
    INSERT INTO public.kernel_audithead (chain, seq, digest)
    VALUES (NEW.chain, 0, sha256(convert_to(NEW.chain, 'UTF8')))
    ON CONFLICT (chain) DO NOTHING;
    SELECT * INTO STRICT head FROM public.kernel_audithead
    WHERE chain = NEW.chain FOR UPDATE;
    NEW.seq := head.seq + 1;
    NEW.previous := head.digest;
    -- Taken inside the lock, so that order by sequence is order by time.
    NEW.at := clock_timestamp();
    NEW.commitment := coalesce(
        (SELECT sha256(salt || convert_to(body::text, 'UTF8'))
         FROM public.kernel_auditpayload WHERE entry_id = NEW.id), ''::bytea);
    NEW.digest := sha256(NEW.previous || convert_to(jsonb_build_array(
        NEW.id, NEW.chain, NEW.seq,
        to_char(NEW.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        NEW.actor, NEW.action, NEW.object_ref, NEW.field_names, NEW.reason_code,
        encode(NEW.commitment, 'hex'))::text, 'UTF8'));
    UPDATE public.kernel_audithead SET seq = NEW.seq, digest = NEW.digest
    WHERE chain = NEW.chain;
    RETURN NEW;
END $$;

CREATE FUNCTION memsys_audit.refuse_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    RAISE EXCEPTION 'audit entries are append-only'
        USING ERRCODE = 'insufficient_privilege';
END $$;

RESET ROLE;

CREATE TRIGGER audit_chain BEFORE INSERT ON kernel_auditentry
    FOR EACH ROW EXECUTE FUNCTION memsys_audit.chain_entry();
CREATE TRIGGER audit_no_change BEFORE UPDATE OR DELETE ON kernel_auditentry
    FOR EACH ROW EXECUTE FUNCTION memsys_audit.refuse_change();
CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON kernel_auditentry
    FOR EACH STATEMENT EXECUTE FUNCTION memsys_audit.refuse_change();
