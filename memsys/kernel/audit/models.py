"""Tables of the audit chains.

Owns entries (append-only), heads (one locked row per chain), payloads (erasable) and
that the chains were verified.
The database's triggers fill `seq`, `at`, `previous`, `commitment` and `digest`; see
`memsys/kernel/sql/audit_triggers.sql`. No foreign keys, no personal data.

>>> AuditEntry(chain="deeds-07", action="memory.erased", actor="service:ab12").chain
'deeds-07'
"""

from typing import Any

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from memsys.kernel.audit.errors import AuditImmutable
from memsys.kernel.audit.refusals import note_refusal
from memsys.kernel.privacy_class import FieldPrivacy
from memsys.kernel.sharding.ids import new_id


class AppendOnlyQuerySet(models.QuerySet["AuditEntry"]):
    """Refuses what the database refuses too, with an error that says so."""

    def update(self, **kwargs: Any) -> int:
        raise _refuse("Audit entries are never changed.")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise _refuse("Audit entries are never deleted.")

    def bulk_update(self, *args: Any, **kwargs: Any) -> int:
        raise _refuse("Audit entries are never changed.")


def _refuse(text: str) -> AuditImmutable:
    note_refusal(by="models")
    return AuditImmutable(text)


class AuditEntry(models.Model):
    """One deed: who did what to which object, for which reason code."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    chain = models.CharField(max_length=40)
    seq = models.BigIntegerField(default=0)
    at = models.DateTimeField(null=True)
    actor = models.CharField(max_length=100)
    action = models.CharField(max_length=60)
    object_ref = models.CharField(max_length=200, blank=True)
    field_names = models.JSONField(default=list)
    reason_code = models.CharField(max_length=60, blank=True)
    commitment = models.BinaryField(default=b"")
    previous = models.BinaryField(default=b"")
    digest = models.BinaryField(default=b"")

    objects = AppendOnlyQuerySet.as_manager()

    class Privacy(FieldPrivacy):
        identifying = ("actor",)
        technical = (
            "id", "chain", "seq", "at", "action", "object_ref", "field_names",
            "reason_code", "commitment", "previous", "digest",
        )  # fmt: skip

    class Meta:
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit entries")
        constraints = [
            models.UniqueConstraint(fields=["chain", "seq"], name="audit_entry_seq"),
            models.UniqueConstraint(
                fields=["chain", "previous"], name="audit_entry_no_fork"
            ),
        ]
        indexes = [models.Index(fields=["object_ref"], name="audit_entry_object")]

    def __str__(self) -> str:
        return f"{self.chain}/{self.seq}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise _refuse("Audit entries are never changed.")
        super().save(*args, **{**kwargs, "force_insert": True})

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise _refuse("Audit entries are never deleted.")


class AuditHead(models.Model):
    """The last sequence number and digest of a chain; written by the trigger only."""

    chain = models.CharField(max_length=40, primary_key=True)
    seq = models.BigIntegerField()
    digest = models.BinaryField()

    class Privacy(FieldPrivacy):
        technical = ("chain", "seq", "digest")

    class Meta:
        verbose_name = _("audit chain")
        verbose_name_plural = _("audit chains")

    def __str__(self) -> str:
        return self.chain


class AuditPayload(models.Model):
    """What belongs to an entry but can be erased; the chain keeps its commitment."""

    entry_id = models.UUIDField(primary_key=True, editable=False)
    subject = models.UUIDField(null=True, db_index=True)
    salt = models.BinaryField()
    body = models.JSONField()

    class Privacy(FieldPrivacy):
        identifying = ("subject",)
        sensitive = ("body",)
        technical = ("entry_id", "salt")

    class Meta:
        verbose_name = _("audit payload")
        verbose_name_plural = _("audit payloads")

    def __str__(self) -> str:
        return str(self.entry_id)


class AuditCheck(models.Model):
    """That the chains were verified: when, by whom, and what was found.

    `chain` is empty when all were; `findings` are the first faults, by chain, kind,
    place and text.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    at = models.DateTimeField(db_default=Now())
    by = models.CharField(max_length=100)
    chain = models.CharField(max_length=40, blank=True)
    chains = models.IntegerField()
    entries = models.BigIntegerField()
    fault_count = models.IntegerField()
    findings = models.JSONField(default=list)

    class Privacy(FieldPrivacy):
        identifying = ("by",)
        technical = (
            "id", "at", "chain", "chains", "entries", "fault_count", "findings",
        )  # fmt: skip

    class Meta:
        indexes = [models.Index(fields=["at"], name="audit_check_at")]

    def __str__(self) -> str:
        return str(self.pk)
