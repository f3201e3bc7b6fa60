-- Purpose: what a reader's copies must agree with: the memory version of a
--   relationship and its open session, as one snapshot sees both; and since when the
--   user has been here without a pause: by the open session, or else by the last one,
--   if that fell silent no longer ago than the idle time.
-- Parameters: relationship, shard, silent_since (now less the idle time).
-- Rows: (memory_version, id, message_count, in_use_since), the id and count null without
--   an open session, the last when the user is not here; none when there is no such
--   relationship.
SELECT relationship.memory_version, session.id, session.message_count,
       coalesce(session.in_use_since, session.first_message_at, (
           SELECT coalesce(ended.in_use_since, ended.first_message_at)
           FROM memories_chatsession AS ended
           WHERE ended.shard = %(shard)s AND ended.relationship_id = %(relationship)s
             AND ended.last_message_at >= %(silent_since)s
           ORDER BY ended.last_message_at DESC, ended.id DESC LIMIT 1))
FROM identity_relationship AS relationship
LEFT JOIN memories_chatsession AS session
    ON session.shard = relationship.shard
   AND session.relationship_id = relationship.id
   AND session.status = 'open'
WHERE relationship.id = %(relationship)s AND relationship.shard = %(shard)s
