-- Purpose: what is said of one relationship: the user's last word on each scope and
--   target that covers it, who took it over last, and the fields of which a value is
--   kept. Which of it holds is worked out by `consent.policies`: the plan of one
--   statement that does it all costs more than the rest of the answer.
-- Parameters: shard, user, relationship, persona, creator, moment.
-- Rows: (what, code, words, more_words, data_class, in_prompt, value, id, at,
--   expires_at, ended_at, renewal_from):
--   'grant': the scope, the kind of its target, its status, the grant's id, its times;
--   'custody': to whom it went, and when;
--   'field': the key, both labels, the value, and the policy's id, null where none is
--   in force for these recipients.
SELECT 'grant' AS what, said.scope AS code, said.target_kind AS words,
       said.status AS more_words, NULL AS data_class, NULL::boolean AS in_prompt,
       NULL AS value, said.id, said.granted_at AS at, said.expires_at, said.ended_at, seen.renewal_from
FROM consent_consentgrant AS said
LEFT JOIN consent_policyversion AS seen ON seen.id = said.policy_version_id
WHERE said.shard = %(shard)s AND said.global_user_id = %(user)s
  AND (said.target_kind = 'all'
    OR said.target_kind = 'creator' AND said.target_id = %(creator)s
    OR said.target_kind = 'persona' AND said.target_id = %(persona)s
    OR said.target_kind = 'relationship' AND said.target_id = %(relationship)s)
UNION ALL
(SELECT 'custody', moved.to_custody, NULL, NULL, NULL, NULL, NULL, NULL,
        moved.moved_at, NULL, NULL, NULL
 FROM identity_custodytransfer AS moved
 WHERE moved.shard = %(shard)s AND moved.relationship_id = %(relationship)s
 ORDER BY moved.moved_at DESC, moved.id DESC LIMIT 1)
UNION ALL
SELECT 'field', field.key, field.label, field.label_zh, field.data_class,
       field.in_prompt AND field.data_class <> 'commercial', kept.value,
       (SELECT policy.id FROM consent_releasepolicy AS policy
        WHERE policy.field_id = field.key AND policy.data_class <> 'sensitive'
          AND policy.approved_at <= %(moment)s AND policy.expires_at > %(moment)s
          AND policy.revoked_at IS NULL
          AND (policy.recipient_kind = 'all'
            OR policy.recipient_kind = 'creator' AND policy.creator_id = %(creator)s
            OR policy.recipient_kind = 'persona' AND policy.persona_id = %(persona)s)
        ORDER BY policy.id LIMIT 1),
       NULL, NULL, NULL, NULL
FROM consent_profilevalue AS kept
JOIN consent_profilefield AS field ON field.key = kept.field_id
WHERE kept.shard = %(shard)s AND kept.global_user_id = %(user)s
  AND field.data_class <> 'sensitive'
  AND kept.updated_at > %(moment)s - field.retention_days * interval '1 day'
