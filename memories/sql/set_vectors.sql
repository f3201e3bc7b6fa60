-- Purpose: give vectors to rows that have none; one that was erased stays erased.
-- Parameters: shard, model, ids (uuid array), vectors (their texts, of equal length).
-- Rows: none.
UPDATE memories_memory AS memory
SET embedding = made.vector::halfvec, embedding_model = %(model)s
FROM unnest(%(ids)s::uuid[], %(vectors)s::text[]) AS made (id, vector)
WHERE memory.id = made.id AND memory.shard = %(shard)s AND memory.embedding IS NULL
