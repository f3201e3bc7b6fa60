-- Purpose: add the evidence of a repeated statement to the memory that says it.
-- Parameters: lineage, shard, relationship, evidence (uuid array), evidence_at (of
--   equal length).
-- Rows: none.
WITH kept AS (
    SELECT DISTINCT ON (said.id) memory.id AS memory_id, said.id, said.at
    FROM memories_memory AS memory,
         unnest(memory.evidence || %(evidence)s::uuid[],
                memory.evidence_at || %(evidence_at)s::timestamptz[]) AS said (id, at)
    WHERE memory.shard = %(shard)s AND memory.relationship_id = %(relationship)s
      AND memory.lineage = %(lineage)s AND memory.recorded_to IS NULL
), united AS (
    SELECT memory_id, array_agg(id ORDER BY at, id) AS ids,
           array_agg(at ORDER BY at, id) AS ats
    FROM kept GROUP BY memory_id
)
UPDATE memories_memory AS memory
SET evidence = united.ids, evidence_at = united.ats
FROM united
WHERE memory.id = united.memory_id AND memory.shard = %(shard)s
