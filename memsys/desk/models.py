"""Tables of the desk: who is signed in where, and what was revealed to whom.

Local to the coordinator; ids, codes and times, no words of a person.

>>> Reveal(item="memory:0190…").item
'memory:0190…'
"""

from django.conf import settings
from django.db import models

from memsys.kernel.privacy_class import FieldPrivacy
from memsys.kernel.sharding.ids import new_id


class DeskSession(models.Model):
    """One signed-in browser of a member of staff, for them to see and to end."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="desk_sessions"
    )
    session_key = models.CharField(max_length=40, unique=True)
    address = models.GenericIPAddressField(null=True)
    agent = models.CharField(max_length=200, blank=True)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Privacy(FieldPrivacy):
        identifying = ("user", "address", "agent")
        sensitive = ("session_key",)
        technical = ("id", "started_at", "seen_at", "ended_at")

    class Meta:
        indexes = [models.Index(fields=["user", "seen_at"], name="desk_session_line")]

    def __str__(self) -> str:
        return str(self.pk)


class Reveal(models.Model):
    """That one item was opened to one person, until a time; the audit has the words.

    `item` is a kind and an id: `memory:<lineage>` or `message:<id>`.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    staff = models.IntegerField()
    subject = models.UUIDField()
    relationship = models.UUIDField()
    item = models.CharField(max_length=60)
    reason_code = models.CharField(max_length=60)
    change_request = models.UUIDField(null=True)
    revealed_at = models.DateTimeField()
    until = models.DateTimeField()

    class Privacy(FieldPrivacy):
        identifying = ("staff", "subject")
        technical = (
            "id", "relationship", "item", "reason_code", "change_request",
            "revealed_at", "until",
        )  # fmt: skip

    class Meta:
        indexes = [
            models.Index(fields=["relationship", "revealed_at"], name="reveal_line"),
            models.Index(fields=["staff", "item", "until"], name="reveal_window"),
            models.Index(fields=["revealed_at"], name="reveal_when"),
        ]

    def __str__(self) -> str:
        return str(self.pk)
