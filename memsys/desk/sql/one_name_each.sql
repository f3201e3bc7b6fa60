-- Purpose: no two accounts whose names differ by capitals alone: what one person asked
--   for a second one must decide, and the audit names both.
-- Parameters: none. Run by the migration, as the owner of the tables.
-- Rows: none.
CREATE UNIQUE INDEX desk_account_name ON auth_user (lower(username));
