-- Purpose: what became of each session, and what the model was asked about it.
-- Parameters: none. For a login that row-level security does not bind.
-- Rows: (session, relationship, status, extraction, labels, answers, then the attempts
--   by status: answered, unusable, lost, unreachable, under way).
WITH said AS (
    SELECT session_id, array_agg(DISTINCT split_part(external_id, '-', 1)) AS labels
    FROM memories_message GROUP BY session_id
), kept AS (
    SELECT session_id, count(*) AS answers FROM memories_modelanswer GROUP BY session_id
), tried AS (
    SELECT session_id,
        count(*) FILTER (WHERE status = 'answered') AS answered,
        count(*) FILTER (WHERE status = 'unusable') AS unusable,
        count(*) FILTER (WHERE status = 'unknown') AS lost,
        count(*) FILTER (WHERE status = 'unreachable') AS unreachable,
        count(*) FILTER (WHERE status = 'sent') AS under_way
    FROM memories_modelattempt GROUP BY session_id
)
SELECT one.id::text, one.relationship_id::text, one.status, one.extraction,
    coalesce(said.labels, '{}'), coalesce(kept.answers, 0),
    coalesce(tried.answered, 0), coalesce(tried.unusable, 0), coalesce(tried.lost, 0),
    coalesce(tried.unreachable, 0), coalesce(tried.under_way, 0)
FROM memories_chatsession AS one
LEFT JOIN said ON said.session_id = one.id
LEFT JOIN kept ON kept.session_id = one.id
LEFT JOIN tried ON tried.session_id = one.id
