-- Purpose: end what is known of one version; it is never re-dated.
-- Parameters: id, shard, now, into (the memory that it becomes part of, or null).
-- Rows: none.
UPDATE memories_memory
SET recorded_to = %(now)s, superseded_by = COALESCE(%(into)s, superseded_by)
WHERE id = %(id)s AND shard = %(shard)s AND recorded_to IS NULL
