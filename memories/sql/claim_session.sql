-- Purpose: lease one pending session to one worker; of two deliveries one gets it.
-- Parameters: id, shard, now, lease_until, max_attempts.
-- Rows: (relationship_id, attempts, extraction) when the lease was given, else none.
UPDATE memories_chatsession
SET lease_until = %(lease_until)s, attempts = attempts + 1
WHERE id = %(id)s AND shard = %(shard)s AND status = 'pending'
  AND (lease_until IS NULL OR lease_until < %(now)s)
  AND attempts < %(max_attempts)s
RETURNING relationship_id, attempts, extraction
