-- Purpose: claim the fingerprint of each text for its message, or learn whose it is.
-- A claim moves only to a message sent a whole window or more after the first. Waits for
--   an erasure of the relationship (see `memories.locks`), and holds up a later one.
-- Parameters: shard, user, relationship, window (interval), and one array each of ids,
--   authors, digests, sent_at, messages, of equal length, no text twice.
-- Rows: (author_kind, digest, message_id, sent_at) of the fingerprint as it stands.
WITH gate AS MATERIALIZED (
    SELECT pg_advisory_xact_lock_shared(hashtextextended(%(relationship)s::text, 1))
)
INSERT INTO memories_messagefingerprint AS kept (
    id, shard, global_user_id, relationship_id, author_kind, digest, sent_at, message_id)
SELECT id, %(shard)s, %(user)s, %(relationship)s, author_kind, digest, sent_at, message_id
FROM gate, unnest(%(ids)s::uuid[], %(authors)s::text[], %(digests)s::bytea[],
            %(sent_at)s::timestamptz[], %(messages)s::uuid[])
    AS claim (id, author_kind, digest, sent_at, message_id)
ON CONFLICT (shard, relationship_id, author_kind, digest) DO UPDATE SET
    message_id = CASE WHEN excluded.sent_at >= kept.sent_at + %(window)s
                      THEN excluded.message_id ELSE kept.message_id END,
    sent_at = CASE WHEN excluded.sent_at >= kept.sent_at + %(window)s
                   THEN excluded.sent_at ELSE kept.sent_at END
RETURNING author_kind, digest, message_id, sent_at
