-- Purpose: what would let the current login read past row-level security.
-- Parameters: none.
-- Rows: (fault as a claim, whether it holds).
SELECT 'is a superuser', rolsuper FROM pg_roles WHERE rolname = session_user
UNION ALL
SELECT 'has BYPASSRLS', rolbypassrls FROM pg_roles WHERE rolname = session_user
UNION ALL
SELECT 'owns tables', EXISTS (
    SELECT 1 FROM pg_class
    WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
      AND pg_has_role(session_user, relowner, 'USAGE'))
UNION ALL
SELECT 'inherits ' || role.rolname, pg_has_role(session_user, role.oid, 'USAGE')
FROM pg_roles AS role
WHERE role.rolname IN ('memsys_staff', 'memsys_portal', 'memsys_maintenance',
                       'memsys_owner', 'memsys_audit')
UNION ALL
SELECT 'may become ' || role.rolname, pg_has_role(session_user, role.oid, 'MEMBER')
FROM pg_roles AS role
WHERE role.rolname <> session_user
  AND (role.rolsuper OR role.rolbypassrls
       OR role.rolname IN ('memsys_owner', 'memsys_audit'))
UNION ALL
SELECT 'may truncate content', EXISTS (
    SELECT 1 FROM pg_class
    WHERE relrowsecurity AND has_table_privilege(session_user, oid, 'TRUNCATE'))
