-- Purpose: hold up withdrawals, expiries and new consents of one user until the end of
--   the transaction that writes by them.
-- Parameters: shard, user.
-- Rows: one for each grant.
SELECT id FROM consent_consentgrant
WHERE shard = %(shard)s AND global_user_id = %(user)s
ORDER BY id
FOR SHARE
