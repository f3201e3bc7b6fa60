-- Purpose: what is true of each user now, by slot.
-- Parameters: none. For a login that row-level security does not bind.
-- Rows: (relationship, key, value, polarity).
SELECT relationship_id::text, key, value, polarity
FROM memories_memory
WHERE recorded_to IS NULL AND valid_to IS NULL AND status = 'active'
  AND subject = 'user' AND kind IN ('preference', 'fact')
