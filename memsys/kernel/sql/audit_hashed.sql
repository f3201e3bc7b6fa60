-- Purpose: the next entries of one chain as audit_triggers.sql digested them: the text
--   that follows the digest before, in each digest. No session setting matters.
-- Parameters: chain, after_seq, after_id (the last row of the batch before), last_seq,
--   limit. Run as memsys_staff.
-- Rows: (seq, id, hashed, previous, digest), by (seq, id).
SELECT entry.seq, entry.id,
       jsonb_build_array(
           entry.id, entry.chain, entry.seq,
           to_char(entry.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
           entry.actor, entry.action, entry.object_ref, entry.field_names,
           entry.reason_code, encode(entry.commitment, 'hex'))::text,
       entry.previous, entry.digest
FROM kernel_auditentry AS entry
WHERE entry.chain = %(chain)s
  AND (entry.seq, entry.id) > (%(after_seq)s, %(after_id)s)
  AND entry.seq <= %(last_seq)s
ORDER BY entry.seq, entry.id
LIMIT %(limit)s
