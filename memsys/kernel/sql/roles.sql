-- Purpose: the roles of one database cluster; run as a superuser, again and again.
-- Parameters: none. Passwords are set apart, by `manage.py prepare_database`.
-- Rows: none.
DO $$
DECLARE
    wanted record;
BEGIN
    FOR wanted IN SELECT * FROM (VALUES
        ('memsys_owner', 'LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB'),
        ('memsys_app', 'LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB'),
        ('memsys_maintenance', 'LOGIN NOSUPERUSER BYPASSRLS NOCREATEROLE NOCREATEDB'),
        ('memsys_staff', 'NOLOGIN NOSUPERUSER NOBYPASSRLS'),
        ('memsys_portal', 'NOLOGIN NOSUPERUSER NOBYPASSRLS'),
        ('memsys_audit', 'NOLOGIN NOSUPERUSER NOBYPASSRLS')
    ) AS roles (name, options)
    LOOP
        IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = wanted.name) THEN
            EXECUTE format('CREATE ROLE %I', wanted.name);
        END IF;
        EXECUTE format('ALTER ROLE %I %s', wanted.name, wanted.options);
    END LOOP;
END $$;

-- An inheriting member would see rows through the policies of these roles.
GRANT memsys_staff, memsys_portal TO memsys_app WITH INHERIT FALSE, SET TRUE;
GRANT memsys_audit TO memsys_owner WITH INHERIT FALSE, SET TRUE;

ALTER ROLE memsys_app SET statement_timeout = '30s';
ALTER ROLE memsys_app SET lock_timeout = '10s';
ALTER ROLE memsys_app SET idle_in_transaction_session_timeout = '60s';
ALTER ROLE memsys_owner SET lock_timeout = '10s';
ALTER ROLE memsys_app SET citus.multi_shard_modify_mode = 'sequential';
ALTER ROLE memsys_app SET citus.propagate_set_commands = 'local';
ALTER ROLE memsys_owner SET citus.multi_shard_modify_mode = 'sequential';
