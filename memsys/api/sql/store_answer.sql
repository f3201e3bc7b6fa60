-- Purpose: keeps the answer to a write, unless its key already has one of the last day.
-- Parameters: client, key, relationship or null, user or null, digest of the request,
--   status code, answer as JSON.
-- Rows: one when the answer was kept; none when another request has the key. Waits for
--   a transaction that is just now keeping an answer under the same key.
INSERT INTO api_idempotencyrecord AS known
    (client, key, relationship_id, user_id, request_digest, status_code, answer)
VALUES (%s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (client, key) DO UPDATE SET
    relationship_id = excluded.relationship_id,
    user_id = excluded.user_id,
    request_digest = excluded.request_digest,
    status_code = excluded.status_code,
    answer = excluded.answer,
    created_at = statement_timestamp()
WHERE known.created_at < statement_timestamp() - interval '24 hours'
RETURNING known.id
