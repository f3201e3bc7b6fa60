"""Erasures, from the wish to the receipt, and the legal holds that bar them.

These rows drive jobs and queues: they hold ids, codes, dates and counts, no words of a
person, and carry no row policy.

>>> ErasureRun(target="relationship", state="waiting").state
'waiting'
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from consent.models.owned import UserModel
from consent.types import ErasureState, erasure_states, erasure_targets
from memsys.kernel.privacy_class import FieldPrivacy
from memsys.kernel.sharding.fields import ShardForeignKey


class LegalHold(UserModel):
    """Nothing of what it covers may be erased or expire until two persons lift it.

    It covers all of a user, or one relationship, or one memory (its lineage).
    """

    relationship = ShardForeignKey(
        "identity.Relationship",
        models.DO_NOTHING,
        null=True,
        related_name="+",
        db_index=False,
    )
    memory = models.UUIDField(null=True)
    reason_code = models.CharField(max_length=60)
    case_ref = models.CharField(max_length=100)
    placed_by = models.CharField(max_length=100)
    placed_at = models.DateTimeField()
    lifted_by = models.CharField(max_length=100, blank=True)
    lifted_at = models.DateTimeField(null=True)
    change_request = models.UUIDField(null=True)

    class Privacy(FieldPrivacy):
        identifying = ("placed_by", "lifted_by")
        technical = (
            "id", "shard", "global_user", "relationship", "memory", "reason_code",
            "case_ref", "placed_at", "lifted_at", "change_request",
        )  # fmt: skip

    class Meta(UserModel.Meta):
        verbose_name = _("hold")
        verbose_name_plural = _("holds")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(memory=None) | models.Q(relationship__isnull=False),
                name="legal_hold_memory_of_relationship",
            ),
            models.CheckConstraint(
                condition=models.Q(lifted_at=None, lifted_by="")
                | (models.Q(lifted_at__isnull=False) & ~models.Q(lifted_by="")),
                name="legal_hold_lifted_by",
            ),
            models.UniqueConstraint(
                fields=["shard", "global_user", "id"], name="legal_hold_owner"
            ),
        ]
        indexes = [
            models.Index(
                fields=["global_user"],
                condition=models.Q(lifted_at=None),
                name="legal_hold_active",
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class ErasureRun(UserModel):
    """One erasure, from the wish to the receipt; a killed one goes on.

    `steps` lists what is done: the step, its counts, when. `covers_until` is up to when
    what was sent is gone for good. `receipt_code` is what a stranger may check by.
    """

    target = models.CharField(max_length=20, choices=erasure_targets)
    relationship = ShardForeignKey(
        "identity.Relationship",
        models.DO_NOTHING,
        null=True,
        related_name="+",
        db_index=False,
    )
    memory = models.UUIDField(null=True)
    state = models.CharField(
        max_length=20, choices=erasure_states, default=ErasureState.WAITING
    )
    requested_by = models.CharField(max_length=100)
    reason_code = models.CharField(max_length=60)
    requested_at = models.DateTimeField()
    run_from = models.DateTimeField()
    covers_until = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)
    steps = models.JSONField(default=list)
    counts = models.JSONField(default=dict)
    stays = models.JSONField(default=list)
    finished_at = models.DateTimeField(null=True)
    verify_from = models.DateTimeField(null=True)
    verified_at = models.DateTimeField(null=True)
    residue = models.JSONField(default=dict)
    receipt_code = models.CharField(max_length=40)
    status_before = models.JSONField(default=dict)

    class Privacy(FieldPrivacy):
        identifying = ("requested_by",)
        technical = (
            "id", "shard", "global_user", "target", "relationship", "memory",
            "state", "reason_code", "requested_at", "run_from", "covers_until",
            "lease_until", "steps", "counts", "stays", "finished_at", "verify_from",
            "verified_at", "residue", "receipt_code", "status_before",
        )  # fmt: skip

    class Meta(UserModel.Meta):
        verbose_name = _("erasure")
        verbose_name_plural = _("erasures")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(target="user", relationship=None, memory=None)
                | models.Q(
                    target="relationship", relationship__isnull=False, memory=None
                )
                | models.Q(
                    target="memory", relationship__isnull=False, memory__isnull=False
                ),
                name="erasure_run_target",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["done", "undone"])
                & models.Q(finished_at__isnull=False)
                | ~models.Q(state__in=["done", "undone"]) & models.Q(finished_at=None),
                name="erasure_run_finished",
            ),
            models.UniqueConstraint(
                fields=["shard", "receipt_code"], name="erasure_run_receipt"
            ),
        ]
        indexes = [
            models.Index(
                fields=["run_from"],
                condition=models.Q(state__in=["waiting", "blocked", "running"]),
                name="erasure_run_queue",
            ),
            models.Index(
                fields=["verify_from"],
                condition=models.Q(verify_from__isnull=False),
                name="erasure_run_verify",
            ),
            models.Index(
                fields=["global_user", "requested_at"], name="erasure_run_line"
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)
