-- Purpose: delete what is older than its time of a user's receipts and reminders.
-- Parameters: user, shard, receipts_before, reminders_before.
-- Rows: one: (receipts, reminders) that were deleted.
SELECT receipts, reminders
FROM memsys_audit.expire_proofs(
    %(user)s, %(shard)s, %(receipts_before)s, %(reminders_before)s)
