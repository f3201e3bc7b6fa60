-- Purpose: whom nobody has told back, in time, that they were reminded of the AI: they
--   are here now, and it was due a while ago. It is due at once where nothing was ever
--   told, and two hours after the use began or the last reminder.
-- Parameters: now, idle, due_after, grace (intervals), scan (open sessions at most),
--   up_to.
-- Rows: (relationship, due_at), the longest due first.
SELECT here.relationship_id, due.at
FROM (
    SELECT session.shard, session.relationship_id,
           coalesce(session.in_use_since, session.first_message_at) AS since
    FROM memories_chatsession AS session
    WHERE session.status = 'open' AND session.last_received_at > %(now)s - %(idle)s
      AND session.last_message_at > %(now)s - %(idle)s
    ORDER BY session.last_received_at DESC
    LIMIT %(scan)s
) AS here
JOIN identity_relationship AS relationship
    ON relationship.shard = here.shard AND relationship.id = here.relationship_id
JOIN identity_globaluser AS person
    ON person.shard = relationship.shard AND person.id = relationship.global_user_id
CROSS JOIN LATERAL (
    SELECT CASE WHEN relationship.disclosed_at IS NULL THEN here.since
           ELSE greatest(here.since, relationship.reminded_at) + %(due_after)s END AS at
) AS due
WHERE NOT person.is_synthetic AND due.at <= %(now)s - %(grace)s
ORDER BY due.at, here.relationship_id
LIMIT %(up_to)s
