-- Purpose: batches of access rows that no audit chain knows.
-- Parameters: action, limit.
-- Rows: (id), by id.
SELECT batch.id FROM consent_accessbatch AS batch
WHERE NOT EXISTS (
    SELECT FROM kernel_auditentry AS entry
    WHERE split_part(entry.object_ref, '/', 1) = 'access_batch:' || batch.id
        AND entry.action = %(action)s
)
ORDER BY batch.id LIMIT %(limit)s
