-- Purpose: all versions of a relationship's memories, for its pack; read in binary.
-- Parameters: relationship, shard.
-- Rows: (lineage, text, kind, tier, dimension, subject, key, value, polarity,
--   importance, stability_days, occurred_at, valid_from, valid_to, recorded_at,
--   recorded_to, source_session_id, visibility, status, due_at, evidence, tokens,
--   embedding where it is of the model, else null).
SELECT lineage, text, kind, tier, dimension, subject, key, value, polarity,
       importance, stability_days, occurred_at, valid_from, valid_to, recorded_at,
       recorded_to, source_session_id, visibility, status, due_at, evidence, tokens,
       CASE WHEN embedding_model = %(model)s THEN embedding END
FROM memories_memory
WHERE relationship_id = %(relationship)s AND shard = %(shard)s
