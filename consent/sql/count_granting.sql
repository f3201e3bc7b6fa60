-- Purpose: how many users hold a grant of a scope that reaches some recipients.
-- Parameters: scope, recipients (all, creator, persona), target, moment, up_to.
-- Rows: (number), at most `up_to`.
SELECT memsys_audit.count_granting(
    %(scope)s, %(recipients)s, %(target)s, %(moment)s, %(up_to)s
)
