-- Purpose: the last messages of the open session, and what `read_standing` tells, as
--   one snapshot sees them: messages and their count can never differ.
-- Parameters: relationship, shard, limit.
-- Rows: (memory_version, id and message_count of the session, and id, author_kind,
--   text, sent_at of a message), oldest message first; a row without a message, or
--   without a session, where there is none.
SELECT relationship.memory_version, session.id, session.message_count,
       said.id, said.author_kind, said.text, said.sent_at
FROM identity_relationship AS relationship
LEFT JOIN memories_chatsession AS session
    ON session.shard = relationship.shard
   AND session.relationship_id = relationship.id
   AND session.status = 'open'
LEFT JOIN LATERAL (
    SELECT message.id, message.author_kind, message.text, message.sent_at
    FROM memories_message AS message
    WHERE message.shard = session.shard
      AND message.relationship_id = session.relationship_id
      AND message.session_id = session.id
      AND NOT message.no_extract
    ORDER BY message.sent_at DESC, message.id DESC
    LIMIT %(limit)s
) AS said ON true
WHERE relationship.id = %(relationship)s AND relationship.shard = %(shard)s
ORDER BY said.sent_at, said.id
