-- Purpose: memories without a slot that one session made twice, word for word; those
--   that a person put right are none.
-- Parameters: relationship, shard, slotted_kinds.
-- Rows: (ids) of one statement each, at least two, the oldest first.
SELECT array_agg(id ORDER BY recorded_at, id)
FROM memories_memory
WHERE relationship_id = %(relationship)s AND shard = %(shard)s
  AND recorded_to IS NULL AND valid_to IS NULL AND source_session_id IS NOT NULL
  AND corrected_at IS NULL AND status <> 'restricted'
  AND NOT kind = ANY(%(slotted_kinds)s)
GROUP BY source_session_id, kind, subject, dimension, polarity, due_at, visibility,
         sensitive_category, text
HAVING count(*) > 1
ORDER BY min(id::text)
