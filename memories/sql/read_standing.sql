-- Purpose: what a reader's copies must agree with: the memory version of a
--   relationship and its open session, as one snapshot sees both.
-- Parameters: relationship, shard.
-- Rows: (memory_version, id, message_count, first_message_at), the last three null
--   without an open session; none when there is no such relationship.
SELECT relationship.memory_version, session.id, session.message_count,
       session.first_message_at
FROM identity_relationship AS relationship
LEFT JOIN memories_chatsession AS session
    ON session.shard = relationship.shard
   AND session.relationship_id = relationship.id
   AND session.status = 'open'
WHERE relationship.id = %(relationship)s AND relationship.shard = %(shard)s
