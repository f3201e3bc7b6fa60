-- Purpose: join the open session of a relationship if the messages follow on it,
--   or open one. Locks the session until the commit, so that ending it waits.
--   One that opens within the idle time after another goes on with the same presence of
--   the user: whoever ends a session makes no pause of it.
-- Parameters: id, shard, user, relationship, first, last, count, now, idle (interval).
-- Rows: (id, message_count) of the session, these messages counted; none when an open
--   one exists that is not near in time.
INSERT INTO memories_chatsession AS kept (
    id, shard, global_user_id, relationship_id, status, first_message_at,
    last_message_at, last_received_at, in_use_since, message_count, end_reason,
    attempts, error_code, memories_made)
VALUES (%(id)s, %(shard)s, %(user)s, %(relationship)s, 'open', %(first)s,
        %(last)s, %(now)s,
        LEAST(%(first)s, (
            SELECT min(coalesce(before.in_use_since, before.first_message_at))
            FROM memories_chatsession AS before
            WHERE before.shard = %(shard)s AND before.relationship_id = %(relationship)s
              AND before.last_message_at >= %(first)s - %(idle)s
              AND before.first_message_at <= %(first)s)),
        %(count)s, '', 0, '', 0)
ON CONFLICT (shard, relationship_id) WHERE status = 'open' DO UPDATE SET
    first_message_at = LEAST(kept.first_message_at, excluded.first_message_at),
    in_use_since = LEAST(
        kept.in_use_since, kept.first_message_at, excluded.in_use_since),
    last_message_at = GREATEST(kept.last_message_at, excluded.last_message_at),
    last_received_at = GREATEST(kept.last_received_at, excluded.last_received_at),
    message_count = kept.message_count + excluded.message_count
WHERE excluded.first_message_at <= kept.last_message_at + %(idle)s
  AND excluded.last_message_at >= kept.first_message_at - %(idle)s
RETURNING id, message_count
