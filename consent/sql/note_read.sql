-- Purpose: note one read by a service, and in the same statement the receipt of what
--   profile fields it released.
-- Parameters: id, receipt (null for none), shard, user, relationship, actor, action,
--   memory_ids, field_keys, policies, grants (JSON), moment.
-- Rows: none.
WITH released AS (
    INSERT INTO consent_releasereceipt (
        id, shard, global_user_id, relationship_id, field_keys, policies, grants,
        actor, released_at
    )
    SELECT %(receipt)s::uuid, %(shard)s, %(user)s::uuid, %(relationship)s::uuid,
           to_jsonb(%(field_keys)s::text[]), %(policies)s::jsonb, %(grants)s::jsonb,
           %(actor)s, %(moment)s::timestamptz
    WHERE %(receipt)s::uuid IS NOT NULL
)
INSERT INTO consent_accessrecord (
    id, shard, global_user_id, relationship_id, actor, action, memory_ids, field_keys,
    read_at
)
VALUES (
    %(id)s, %(shard)s, %(user)s, %(relationship)s, %(actor)s, %(action)s,
    %(memory_ids)s::uuid[], %(field_keys)s::text[], %(moment)s
)
