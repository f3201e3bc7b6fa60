-- Purpose: how many users a release would reach, as a number and nothing else.
-- Parameters: none. Run by the migration, as the owner of the tables.
-- Rows: none.
CREATE POLICY consent_consentgrant_memsys_audit ON consent_consentgrant
    FOR SELECT TO memsys_audit USING (true);
GRANT SELECT (
    shard, global_user_id, scope, target_kind, target_id, status, policy_version_id,
    granted_at, expires_at, ended_at
) ON consent_consentgrant TO memsys_audit;
GRANT SELECT (id, renewal_from) ON consent_policyversion TO memsys_audit;
GRANT SELECT (id, creator_id) ON identity_creatorpersona TO memsys_audit;
GRANT SELECT (id, shard, persona_id) ON identity_relationship TO memsys_audit;

SET LOCAL ROLE memsys_audit;

-- The users who have a grant of the scope `wanted` that holds at `moment` somewhere
-- among the recipients: all, those of one creator, or one persona (`target`), and was
-- not withdrawn for them since. At most `up_to` grants are looked at, so that its cost
-- has an end.
CREATE FUNCTION memsys_audit.count_granting(
    wanted text, recipients text, target uuid, moment timestamptz, up_to integer
) RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH reached AS (
        SELECT persona.id, persona.creator_id
        FROM public.identity_creatorpersona AS persona
        WHERE recipients = 'creator' AND persona.creator_id = target
           OR recipients = 'persona' AND persona.id = target
    )
    SELECT count(DISTINCT chosen.global_user_id)::integer FROM (
        SELECT consented.global_user_id
        FROM public.consent_consentgrant AS consented
        JOIN public.consent_policyversion AS seen
            ON seen.id = consented.policy_version_id
        WHERE consented.scope = wanted AND consented.status = 'granted'
          AND (consented.expires_at IS NULL OR consented.expires_at > moment)
          AND (seen.renewal_from IS NULL OR seen.renewal_from > moment)
          AND (recipients = 'all' OR consented.target_kind = 'all'
            OR consented.target_kind = 'creator' AND consented.target_id IN (
                SELECT creator_id FROM reached
                UNION SELECT target WHERE recipients = 'creator')
            OR consented.target_kind = 'persona' AND consented.target_id IN (
                SELECT id FROM reached)
            OR consented.target_kind = 'relationship' AND EXISTS (
                SELECT FROM public.identity_relationship AS relationship
                JOIN reached ON reached.id = relationship.persona_id
                WHERE relationship.id = consented.target_id
                  AND relationship.shard = consented.shard))
          AND NOT EXISTS (
            SELECT FROM public.consent_consentgrant AS taken
            WHERE taken.shard = consented.shard
              AND taken.global_user_id = consented.global_user_id
              AND taken.scope = wanted AND taken.status = 'withdrawn'
              AND taken.ended_at >= consented.granted_at
              AND (taken.target_kind = 'all'
                OR taken.target_kind = 'creator' AND taken.target_id IN (
                    SELECT creator_id FROM reached
                    UNION SELECT target WHERE recipients = 'creator')
                OR taken.target_kind = 'persona' AND recipients = 'persona'
                    AND taken.target_id = target))
        LIMIT up_to
    ) AS chosen
$$;

REVOKE ALL ON FUNCTION memsys_audit.count_granting(
    text, text, uuid, timestamptz, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memsys_audit.count_granting(
    text, text, uuid, timestamptz, integer) TO memsys_app, memsys_staff;

RESET ROLE;
