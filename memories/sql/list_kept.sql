-- Purpose: what decides how long each version of the memories of a relationship is kept.
-- Parameters: relationship, shard.
-- Rows: (id, lineage, tier, kind, recorded_at, when its lineage was first recorded,
--   whether it is sensitive, recorded_to, valid_to, when it was last said or null,
--   corrected_at, used_at, when it is due at the latest or null).
SELECT id, lineage, tier, kind, recorded_at,
       min(recorded_at) OVER (PARTITION BY lineage),
       visibility = 'sensitive' OR sensitive_category <> '',
       recorded_to, valid_to, evidence_at[cardinality(evidence_at)],
       corrected_at, used_at, coalesce(due_until, due_at)
FROM memories_memory
WHERE relationship_id = %(relationship)s AND shard = %(shard)s
