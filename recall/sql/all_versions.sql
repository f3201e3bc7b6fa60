-- Purpose: all versions of a relationship's memories, for a question about an earlier
--   time; read in binary.
-- Parameters: relationship, shard, model.
-- Rows: as of `pack_rows.sql`.
SELECT lineage, text, kind, tier, dimension, subject, key, value, polarity,
       importance, stability_days, occurred_at, valid_from, valid_to, recorded_at,
       recorded_to, source_session_id, visibility, sensitive_category,
       CASE WHEN status <> 'archived' THEN status
            WHEN valid_to IS NULL THEN 'active' ELSE 'superseded' END,
       due_at, due_until, evidence_at[cardinality(evidence_at)], evidence, tokens,
       CASE WHEN embedding_model = %(model)s THEN embedding END
FROM memories_memory
WHERE relationship_id = %(relationship)s AND shard = %(shard)s
