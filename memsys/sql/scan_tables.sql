-- Purpose: the tables of the public schema, and whether this login sees all their rows.
-- Parameters: none.
-- Rows: table, whether the login may read it and row policies do not bind it.
SELECT c.relname,
    has_table_privilege(c.oid, 'SELECT')
        AND (r.rolbypassrls OR r.rolsuper OR NOT c.relrowsecurity)
FROM pg_class AS c
JOIN pg_roles AS r ON r.rolname = current_user
WHERE c.relnamespace = 'public'::regnamespace
    AND c.relkind IN ('r', 'p', 'm')
    AND NOT c.relispartition
ORDER BY c.relname
