-- Purpose: the caller's id of every message, as often as it is stored.
-- Parameters: none. For a login that row-level security does not bind.
-- Rows: (external_id).
SELECT external_id FROM memories_message
