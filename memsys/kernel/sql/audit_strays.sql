-- Purpose: payloads whose entry is gone: what a deleted entry leaves behind.
-- Parameters: limit. Run as memsys_staff.
-- Rows: (entry_id).
SELECT payload.entry_id
FROM kernel_auditpayload AS payload
WHERE NOT EXISTS (
    SELECT 1 FROM kernel_auditentry AS entry WHERE entry.id = payload.entry_id)
LIMIT %(limit)s
