-- Purpose: take back what `one_name_each.sql` made.
-- Parameters: none. Run by the migration, as the owner of the tables.
-- Rows: none.
DROP INDEX desk_account_name;
