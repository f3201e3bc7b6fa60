-- Purpose: add uses to memories of a relationship, and the stability that comes of them;
--   see `memories.decay.stability_days`. None gets weaker.
-- Parameters: relationship, shard, lineages (uuid array), counts (of equal length),
--   base_days, importance_gain, use_gain, now.
-- Rows: none.
UPDATE memories_memory AS memory
SET uses = memory.uses + used.count,
    used_at = GREATEST(memory.used_at, %(now)s),
    stability_days = GREATEST(
        memory.stability_days,
        %(base_days)s * (1 + %(importance_gain)s * memory.importance)
        * (1 + %(use_gain)s * ln((1 + memory.uses + used.count)::float8)))
FROM unnest(%(lineages)s::uuid[], %(counts)s::int[]) AS used (lineage, count)
WHERE memory.relationship_id = %(relationship)s AND memory.shard = %(shard)s
  AND memory.lineage = used.lineage AND memory.recorded_to IS NULL
