-- Purpose: the role in which the desk reads content may only read. What staff do is done
--   by services, in the scope of a service.
-- Parameters: none. Run by the migration, as the owner of the tables.
-- Rows: none.
DO $$
DECLARE
    content record;
BEGIN
    FOR content IN
        SELECT schemaname, tablename FROM pg_policies
        WHERE schemaname = 'public' AND 'memsys_staff' = ANY (roles)
    LOOP
        EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON %I.%I FROM memsys_staff',
            content.schemaname, content.tablename);
    END LOOP;
END $$;
