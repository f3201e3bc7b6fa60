-- Purpose: which of a child's grants a guardian gave.
-- Parameters: shard, user.
-- Rows: (id).
SELECT said.id
FROM consent_consentgrant AS said
JOIN consent_consentevent AS event
    ON event.shard = said.shard AND event.id = said.last_event_id
WHERE said.shard = %(shard)s AND said.global_user_id = %(user)s
  AND said.status = 'granted' AND event.surface = 'guardian'
