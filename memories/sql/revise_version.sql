-- Purpose: record a version with other bounds and evidence, made from another one.
-- Parameters: id (of the other), new_id, shard, lineage, now, valid_from, valid_to,
--   superseded_by, corrected_at, status, evidence (uuid array), evidence_at (of equal length).
-- What is restricted stays so, whatever its bounds.
-- Rows: none.
INSERT INTO memories_memory (
    id, shard, global_user_id, relationship_id, lineage, tier, kind, subject, dimension,
    key, value, polarity, text, evidence, evidence_at, source_session_id, importance,
    uses, used_at, stability_days, occurred_at, due_at, due_until, valid_from, valid_to, recorded_at, recorded_to, superseded_by,
    corrected_at, status, visibility, sensitive_category, author, is_flagged, embedding,
    embedding_model, tokens)
SELECT
    %(new_id)s, shard, global_user_id, relationship_id, %(lineage)s, tier, kind, subject,
    dimension, key, value, polarity, text, %(evidence)s::uuid[], %(evidence_at)s::timestamptz[],
    source_session_id, importance, uses, used_at, stability_days, occurred_at, due_at, due_until, %(valid_from)s, %(valid_to)s, %(now)s, NULL,
    %(superseded_by)s, %(corrected_at)s,
    CASE status WHEN 'restricted' THEN status ELSE %(status)s END, visibility, sensitive_category, author, is_flagged, embedding,
    embedding_model, tokens
FROM memories_memory WHERE id = %(id)s AND shard = %(shard)s
