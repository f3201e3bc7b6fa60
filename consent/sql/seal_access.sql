-- Purpose: put the oldest unsealed access rows into a batch and work out its digest.
-- Parameters: batch, up_to.
-- Rows: (rows, first_at, last_at, digest); rows is 0 when none waited.
SELECT rows, first_at, last_at, digest
FROM memsys_audit.seal_access(%(batch)s, %(up_to)s)
