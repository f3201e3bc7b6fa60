-- Purpose: the next entries of one chain with their payloads, in the very texts that
--   audit_triggers.sql digested: UTC time, jsonb as text. No session setting matters.
-- Parameters: chain, after_seq, after_id (the last row of the batch before), last_seq,
--   limit. Run as memsys_staff.
-- Rows: (id, chain, seq, at, actor, action, object_ref, field_names, reason_code,
--   commitment, previous, digest, salt, body), by (seq, id).
SELECT entry.id, entry.chain, entry.seq,
       to_char(entry.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       entry.actor, entry.action, entry.object_ref, entry.field_names::text,
       entry.reason_code, entry.commitment, entry.previous, entry.digest,
       payload.salt, payload.body::text
FROM kernel_auditentry AS entry
LEFT JOIN kernel_auditpayload AS payload ON payload.entry_id = entry.id
WHERE entry.chain = %(chain)s
  AND (entry.seq, entry.id) > (%(after_seq)s, %(after_id)s)
  AND entry.seq <= %(last_seq)s
ORDER BY entry.seq, entry.id
LIMIT %(limit)s
