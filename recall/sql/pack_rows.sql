-- Purpose: what may be recalled at `since` or later, for a relationship's pack; read in
--   binary. What was over before is left out, and of the versions known now all beyond
--   the strongest `cap`; `archived` is not asked: that a job has run changes no pack.
--   The order of strength is that of `memories/sql/list_strength.sql`.
-- Parameters: relationship, shard, model, cap, since, since_days (since 1970), lifetimes
--   (until a memory is faded), lasting_kinds, lasting_dimensions.
-- Rows: (lineage, text, kind, tier, dimension, subject, key, value, polarity,
--   importance, stability_days, occurred_at, valid_from, valid_to, recorded_at,
--   recorded_to, source_session_id, visibility, sensitive_category, status, due_at,
--   due_until, when it was last said or null, evidence, tokens, embedding where it is of the model, else null).
SELECT lineage, text, kind, tier, dimension, subject, key, value, polarity,
       importance, stability_days, occurred_at, valid_from, valid_to, recorded_at,
       recorded_to, source_session_id, visibility, sensitive_category,
       CASE WHEN status <> 'archived' THEN status
            WHEN valid_to IS NULL THEN 'active' ELSE 'superseded' END,
       due_at, due_until, evidence_at[cardinality(evidence_at)], evidence, tokens,
       CASE WHEN embedding_model = %(model)s THEN embedding END
FROM memories_memory
WHERE relationship_id = %(relationship)s AND shard = %(shard)s
  AND (recorded_to IS NULL OR recorded_to > %(since)s)
  AND (valid_to IS NULL OR valid_to > %(since)s)
  AND (kind = ANY(%(lasting_kinds)s) OR dimension = ANY(%(lasting_dimensions)s)
       OR extract(epoch FROM GREATEST(
              occurred_at, evidence_at[cardinality(evidence_at)],
              CASE WHEN kind = 'commitment' THEN coalesce(due_until, due_at) END))::float8 / 86400
          + stability_days * %(lifetimes)s > %(since_days)s)
  AND (recorded_to IS NOT NULL
       OR %(cap)s >= (
           SELECT count(*) FROM memories_memory
           WHERE relationship_id = %(relationship)s AND shard = %(shard)s
             AND recorded_to IS NULL)
       OR id IN (
           SELECT id FROM memories_memory
           WHERE relationship_id = %(relationship)s AND shard = %(shard)s
             AND recorded_to IS NULL
           ORDER BY
               valid_to DESC NULLS FIRST,
               kind = ANY(%(lasting_kinds)s)
                   OR dimension = ANY(%(lasting_dimensions)s) DESC,
               kind = 'commitment' DESC,
               CASE WHEN kind = 'commitment' THEN coalesce(due_until, due_at) END DESC NULLS FIRST,
               extract(epoch FROM GREATEST(
                   occurred_at, evidence_at[cardinality(evidence_at)],
                   CASE WHEN kind = 'commitment' THEN coalesce(due_until, due_at) END))::float8 / 86400
               + stability_days * %(lifetimes)s DESC,
               id DESC
           LIMIT %(cap)s))
