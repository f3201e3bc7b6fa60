-- Purpose: every chain with its head and its last entry, as one snapshot sees them.
--   Names are found by index, one step per chain, however long the chains are.
-- Parameters: none. Run as memsys_staff.
-- Rows: (chain, head seq, head digest, last seq); a chain without a head or without
--   entries has nulls there.
WITH RECURSIVE walked (chain) AS (
    (SELECT chain FROM kernel_auditentry ORDER BY chain LIMIT 1)
    UNION ALL
    SELECT (SELECT entry.chain FROM kernel_auditentry AS entry
            WHERE entry.chain > walked.chain ORDER BY entry.chain LIMIT 1)
    FROM walked WHERE walked.chain IS NOT NULL
), names AS (
    SELECT chain FROM walked WHERE chain IS NOT NULL
    UNION
    SELECT chain FROM kernel_audithead
)
SELECT names.chain, head.seq, head.digest,
       (SELECT max(seq) FROM kernel_auditentry AS entry WHERE entry.chain = names.chain)
FROM names LEFT JOIN kernel_audithead AS head USING (chain)
ORDER BY names.chain
