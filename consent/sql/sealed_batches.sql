-- Purpose: what one audit chain says of sealed batches of access rows, beside what is
--   stored of them and what their rows amount to now.
-- Parameters: chain, action, after (a sequence number), limit.
-- Rows: (seq, object_ref, told_rows, told_digest, rows, digest, found_rows,
--   found_digest), by seq; rows and digest are null when no such batch is stored.
SELECT entry.seq, entry.object_ref,
       split_part(entry.object_ref, '/', 2), split_part(entry.object_ref, '/', 3),
       batch.rows, encode(batch.digest, 'hex'), found.rows, encode(found.digest, 'hex')
FROM (
    SELECT one.id, one.seq, one.object_ref FROM kernel_auditentry AS one
    WHERE one.chain = %(chain)s AND one.action = %(action)s AND one.seq > %(after)s
    ORDER BY one.seq LIMIT %(limit)s
) AS entry
LEFT JOIN consent_accessbatch AS batch ON batch.id = CASE
    WHEN entry.object_ref
        ~ '^access_batch:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(/|$)'
    THEN substr(entry.object_ref, 14, 36)::uuid
END
LEFT JOIN LATERAL memsys_audit.digest_access(batch.id) AS found ON true
ORDER BY entry.seq
