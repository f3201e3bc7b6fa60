-- Purpose: what was asked for stays as it was; only how it went can be written.
-- Parameters: none. Run by the migration, as the owner of the tables.
-- Rows: none.
REVOKE UPDATE, DELETE ON consent_changerequest FROM memsys_app;
GRANT UPDATE (state, decided_by, decided_at, decision_note, finished_at, result)
    ON consent_changerequest TO memsys_app;
