"""Tell each persona the version of its profile in force; there are few personas."""

from django.db import migrations

SET_VERSIONS = """
UPDATE identity_creatorpersona AS persona SET profile_version = last.version
FROM (
    SELECT persona_id, max(version) AS version
    FROM identity_creatorpersonaprofile GROUP BY persona_id
) AS last
WHERE last.persona_id = persona.id
"""


class Migration(migrations.Migration):
    dependencies = [("identity", "0005_consents_and_reminders")]
    operations = [migrations.RunSQL(SET_VERSIONS, migrations.RunSQL.noop)]
