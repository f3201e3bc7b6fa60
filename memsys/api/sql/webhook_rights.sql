-- Purpose: the seeds of secrets are for the login that signs alone.
-- Parameters: none. Run by the migration, as the owner of the tables.
-- Rows: none.
REVOKE ALL ON api_webhookendpoint FROM memsys_staff;
GRANT SELECT (id, url, events, creators, previous_until, made_by, created_at)
    ON api_webhookendpoint TO memsys_staff;
