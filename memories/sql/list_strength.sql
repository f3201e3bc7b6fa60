-- Purpose: the version of each memory that is known now, the strongest first, for the
--   nightly job. What is still true comes before what is over, what is kept however old
--   before commitments, those due later first, and these before all the rest, which
--   stands in the order in which it will have faded. No part of the order moves with
--   time: the same rows are the strongest today and in a year.
--   `recall/sql/pack_rows.sql` has the same order.
-- Parameters: relationship, shard, lifetimes (until a memory is faded), lasting_kinds,
--   lasting_dimensions, evidence (messages from which on they are told).
-- Rows: (id, tier, kind, dimension, status, stability_days, occurred_at,
--   when it is due at the latest, when it was last said or null, evidence where it is enough, else empty).
SELECT id, tier, kind, dimension, status, stability_days, occurred_at,
       coalesce(due_until, due_at), evidence_at[cardinality(evidence_at)],
       CASE WHEN cardinality(evidence) >= %(evidence)s THEN evidence
            ELSE '{}'::uuid[] END
FROM memories_memory
WHERE relationship_id = %(relationship)s AND shard = %(shard)s
  AND recorded_to IS NULL
ORDER BY
    valid_to DESC NULLS FIRST,
    kind = ANY(%(lasting_kinds)s) OR dimension = ANY(%(lasting_dimensions)s) DESC,
    kind = 'commitment' DESC,
    CASE WHEN kind = 'commitment' THEN coalesce(due_until, due_at) END DESC NULLS FIRST,
    extract(epoch FROM GREATEST(
        occurred_at, evidence_at[cardinality(evidence_at)],
        CASE WHEN kind = 'commitment' THEN coalesce(due_until, due_at) END))::float8 / 86400
    + stability_days * %(lifetimes)s DESC,
    id DESC
