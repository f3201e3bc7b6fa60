-- Purpose: count the memories, and those that are there twice.
-- Parameters: none. For a login that row-level security does not bind.
-- Rows: one, (memories, pairs that fill one slot at one time, loose ones too many): a
--   loose one is too many when its session has another of its kind with its words.
WITH known AS (
    SELECT * FROM memories_memory WHERE recorded_to IS NULL
), slotted AS (
    SELECT * FROM known WHERE kind IN ('preference', 'taboo', 'commitment', 'fact')
), loose AS (
    SELECT count(*) - 1 AS too_many
    FROM known
    WHERE kind NOT IN ('preference', 'taboo', 'commitment', 'fact')
    GROUP BY relationship_id, source_session_id, kind, subject, text
)
SELECT
    (SELECT count(*) FROM known),
    (SELECT count(*)
     FROM slotted AS one
     JOIN slotted AS other USING (relationship_id, subject, dimension, key)
     WHERE one.id < other.id
       AND tstzrange(one.valid_from, one.valid_to)
           && tstzrange(other.valid_from, other.valid_to)),
    (SELECT coalesce(sum(too_many), 0) FROM loose)
