-- Purpose: restart the custody window of a relationship, and learn who has it now.
-- The window never moves back. Waits for a move of custody that is under way.
-- Parameters: id, shard, sent_at.
-- Rows: (custody).
UPDATE identity_relationship
SET last_creator_message_at = GREATEST(last_creator_message_at, %(sent_at)s)
WHERE id = %(id)s AND shard = %(shard)s
RETURNING custody
