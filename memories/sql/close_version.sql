-- Purpose: end what is known of one version; it is never re-dated.
-- Parameters: id, shard, now.
-- Rows: none.
UPDATE memories_memory SET recorded_to = %(now)s
WHERE id = %(id)s AND shard = %(shard)s AND recorded_to IS NULL
