-- Purpose: what a user allows in one relationship at a moment: the grants that hold
--   there, and what they and a policy together release into it.
--   A grant does not hold where the user withdrew later, for less than it covers.
-- Parameters: shard, user, relationship, persona, creator, moment, is_minor.
-- Rows: (scope, key, label, label_zh, in_prompt, value, policy, consented): a grant has
--   its scope and no key; a field of which a value is kept has a key and no scope, and
--   is released if neither its policy nor its grant (`consented`) is null.
WITH said AS (
    SELECT consented.*
    FROM consent_consentgrant AS consented
    WHERE consented.shard = %(shard)s AND consented.global_user_id = %(user)s
      AND (consented.target_kind = 'all'
        OR consented.target_kind = 'creator' AND consented.target_id = %(creator)s
        OR consented.target_kind = 'persona' AND consented.target_id = %(persona)s
        OR consented.target_kind = 'relationship'
            AND consented.target_id = %(relationship)s)
), held AS (
    SELECT consented.id, consented.scope
    FROM said AS consented
    JOIN consent_policyversion AS seen ON seen.id = consented.policy_version_id
    WHERE consented.status = 'granted'
      AND (consented.expires_at IS NULL OR consented.expires_at > %(moment)s)
      AND (seen.renewal_from IS NULL OR seen.renewal_from > %(moment)s)
      AND NOT EXISTS (
        SELECT FROM said AS taken
        WHERE taken.scope = consented.scope AND taken.status = 'withdrawn'
          AND taken.ended_at >= consented.granted_at)
)
SELECT held.scope, NULL AS key, NULL AS label, NULL AS label_zh, NULL AS in_prompt,
       NULL AS value, NULL::uuid AS policy, held.id AS consented
FROM held
UNION ALL
SELECT NULL, field.key, field.label, field.label_zh,
       field.in_prompt AND field.data_class <> 'commercial', kept.value,
       (SELECT policy.id FROM consent_releasepolicy AS policy
        WHERE policy.field_id = field.key AND policy.data_class <> 'sensitive'
          AND policy.approved_at <= %(moment)s AND policy.expires_at > %(moment)s
          AND policy.revoked_at IS NULL
          AND (policy.recipient_kind = 'all'
            OR policy.recipient_kind = 'creator' AND policy.creator_id = %(creator)s
            OR policy.recipient_kind = 'persona' AND policy.persona_id = %(persona)s)
        ORDER BY policy.id LIMIT 1),
       (SELECT held.id FROM held WHERE held.scope = 'release:' || field.key
          AND NOT (%(is_minor)s AND field.data_class = 'commercial')
        ORDER BY held.id LIMIT 1)
FROM consent_profilevalue AS kept
JOIN consent_profilefield AS field ON field.key = kept.field_id
WHERE kept.shard = %(shard)s AND kept.global_user_id = %(user)s
  AND field.data_class <> 'sensitive'
  AND kept.updated_at > %(moment)s - field.retention_days * interval '1 day'
ORDER BY key
