-- Purpose: extension, schemas and default rights of one database; run as a superuser.
-- Parameters: none.
-- Rows: none.
CREATE EXTENSION IF NOT EXISTS vector;
ALTER SCHEMA public OWNER TO memsys_owner;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public
    TO memsys_app, memsys_staff, memsys_portal, memsys_maintenance, memsys_audit;
CREATE SCHEMA IF NOT EXISTS memsys_audit AUTHORIZATION memsys_audit;
GRANT USAGE ON SCHEMA memsys_audit TO memsys_owner;

-- Never GRANT ALL: it would let a role TRUNCATE past the policies.
ALTER DEFAULT PRIVILEGES FOR ROLE memsys_owner IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO memsys_app, memsys_maintenance;
-- Content is granted to the other two by `IsolateRows`, together with its policies.
ALTER DEFAULT PRIVILEGES FOR ROLE memsys_owner IN SCHEMA public
    GRANT SELECT ON TABLES TO memsys_staff;
ALTER DEFAULT PRIVILEGES FOR ROLE memsys_owner IN SCHEMA public
    GRANT USAGE, SELECT ON SEQUENCES TO memsys_app, memsys_maintenance;
