-- Purpose: takes back webhook_rights.sql.
-- Parameters: none.
-- Rows: none.
GRANT SELECT ON api_webhookendpoint TO memsys_staff;
